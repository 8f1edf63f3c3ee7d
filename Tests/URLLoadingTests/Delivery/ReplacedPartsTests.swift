import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Bodies of the type `multipart/x-mixed-replace`, of cameras and the like.
@Suite(.timeLimit(.minutes(4))) struct ReplacedPartsTests {
  private static let body = """
    --b\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\none\r
    --b\r\nContent-Type: image/jpeg\r\nX-Own: 1\r\n\r\ntwo\r\n--b--\r\n
    """

  private static func server(
    _ body: String = body, type: String = "multipart/x-mixed-replace; boundary=b", cacheControl: String = "no-store"
  ) throws -> ScriptedServer {
    try ScriptedServer.http { _ in
      HTTPResponse(
        fields: ["Content-Type": type, "X-Whole": "1", "Cache-Control": cacheControl, "Set-Cookie": "a=1"], text: body)
    }
  }

  /// What a delegate was told, in its order; it answers responses by a closure.
  private final class Camera: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    let told = Watched<[String]>([])
    let responses = Watched<[URLResponse]>([])
    let answer: @Sendable (Int) -> URLSession.ResponseDisposition

    init(_ answer: @escaping @Sendable (Int) -> URLSession.ResponseDisposition = { _ in .allow }) {
      self.answer = answer
    }

    private func tell(_ text: String) { told.update { $0.append(text) } }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
      tell(response.mimeType ?? "none")
      let count = responses.update { responses in
        responses.append(response)
        return responses.count
      }
      return answer(count)
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      told.update { told in
        let text = String(decoding: data, as: UTF8.self)
        if let last = told.last, last.hasPrefix("="), !text.isEmpty {
          told[told.count - 1] += text
        } else {
          told.append("=" + text)
        }
      }
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)
    {
      tell("download")
    }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
      tell("=" + String(decoding: (try? Data(contentsOf: location)) ?? Data(), as: UTF8.self))
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      tell("end \((error as? URLError)?.code.rawValue ?? 0)")
    }
  }

  private static func run(
    _ camera: Camera, _ server: ScriptedServer, configure: (URLSessionDataTask) -> Void = { _ in }
  ) async -> [String] {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration, delegate: camera, delegateQueue: nil)
    defer { withExtendedLifetime(server) { session.invalidateAndCancel() } }
    let task = session.dataTask(with: server.url())
    configure(task)
    task.resume()
    #expect(await camera.told.wait(timeout: .seconds(20)) { $0.last?.hasPrefix("end") == true })
    return camera.told.value
  }

  @Test func eachPartIsAResponseOfItsOwn() async throws {
    let server = try Self.server()
    let camera = Camera()
    let told = await Self.run(camera, server)
    #expect(told == ["multipart/x-mixed-replace", "text/plain", "=one", "image/jpeg", "=two", "end 0"])
    let responses = camera.responses.value.compactMap { $0 as? HTTPURLResponse }
    #expect(responses.map(\.statusCode) == [200, 200, 200] && responses.allSatisfy { $0.url == server.url() })
    #expect(responses.map(\.expectedContentLength) == [Int64(Self.body.utf8.count), 3, -1])
    #expect(responses.last?.value(forHTTPHeaderField: "X-Own") == "1")
    #expect(responses.last?.value(forHTTPHeaderField: "X-Whole") == "1")
    #expect(responses.last?.value(forHTTPHeaderField: "Set-Cookie") == nil)
  }

  @Test func aPartGoesInOnePieceToADelegateThatWantsNoPieces() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=b\r\n\r\n--b\r\n\r\n")
      for _ in 0..<3 {
        try connection.send("piece ")
        _ = connection.waitForPeerClose(timeout: .milliseconds(20))
      }
      try connection.send("\r\n--b\r\n\r\nlast")
    }
    let told = await Self.run(Camera(), server) { $0.prefersIncrementalDelivery = false }
    #expect(told == ["multipart/x-mixed-replace", "none", "=piece piece piece ", "none", "=last", "end 0"])
  }

  @Test(arguments: [1, 2, 3]) func aTaskIsCancelledAtAnyResponse(_ number: Int) async throws {
    let server = try Self.server()
    let told = await Self.run(Camera { $0 == number ? .cancel : .allow }, server)
    #expect(told.last == "end -999" && told.count { !$0.hasPrefix("=") } == number + 1, "\(told)")
  }

  @Test func aTaskThatBecomesADownloadGetsTheBodyAsItCame() async throws {
    let server = try Self.server()
    let told = await Self.run(Camera { $0 == 1 ? .becomeDownload : .allow }, server)
    #expect(told == ["multipart/x-mixed-replace", "download", "=" + Self.body, "end 0"])
  }

  @Test(arguments: TaskKind.allCases.filter { $0 != .dataDelegate })
  func allOthersGetTheBodyAsItCame(_ kind: TaskKind) async throws {
    let server = try Self.server()
    let record = await RecordedSession().load(server.url(), by: kind)
    withExtendedLifetime(server) {}
    #expect(record.text == Self.body && record.response?.mimeType == "multipart/x-mixed-replace")
  }

  @Test(arguments: ["multipart/x-mixed-replace", "multipart/mixed; boundary=b", "text/plain; boundary=b"])
  func aBodyOfAnotherTypeOrWithoutABoundaryStaysWhole(_ type: String) async throws {
    let server = try Self.server(type: type)
    let record = await RecordedSession().load(server.url())
    withExtendedLifetime(server) {}
    #expect(record.text == Self.body && record.events.count { $0 == "response" } == 1)
  }

  @Test func aHeadWithoutEndFailsTheLoad() async throws {
    let server = try Self.server("--b\r\nA: " + String(repeating: "x", count: 100_000))
    let told = await Self.run(Camera(), server)
    #expect(told == ["multipart/x-mixed-replace", "end \(URLError.Code.dataLengthExceedsMaximum.rawValue)"])
  }

  @Test func itIsNotCached() async throws {
    let server = try Self.server(cacheControl: "max-age=1000")
    let session = RecordedSession { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    for _ in 0..<2 { #expect(await session.load(server.url(), by: .dataHandler).text == Self.body) }
    #expect(server.requests.count == 2)
  }

  /// A delegate that does not take what has come holds the sender back.
  @Test func aPartThatIsNotTakenHoldsTheSenderBack() async throws {
    let sent = Watched(0)
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace;boundary=b\r\n\r\n--b\r\n\r\n")
      let piece = Data(count: 1 << 20)
      for _ in 0..<64 {
        try connection.send(piece)
        sent.update { $0 += piece.count }
      }
      try connection.send("\r\n--b--")
    }
    let release = AsyncEvent()
    final class Holding: NSObject, URLSessionDataDelegate, Sendable {
      let release: AsyncEvent
      let ended = Watched<Int?>(nil)
      let received = Watched(0)
      init(_ release: AsyncEvent) { self.release = release }
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
      ) async -> URLSession.ResponseDisposition {
        if response.mimeType == nil { _ = await release.wait() }
        return .allow
      }
      func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.update { $0 += data.count }
      }
      func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        ended.update { $0 = (error as? URLError)?.code.rawValue ?? 0 }
      }
    }
    let delegate = Holding(release)
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.dataTask(with: server.url()).resume()
    #expect(await sent.wait { $0 >= 1 << 20 })
    #expect(await !sent.wait(timeout: .milliseconds(500)) { $0 > 32 << 20 })
    release.signal()
    #expect(await delegate.ended.wait(timeout: .seconds(60)) { $0 == 0 })
    #expect(delegate.received.value == 64 << 20)
  }
}
