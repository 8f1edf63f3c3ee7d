import Foundation
import Testing
import URLLoading
import URLLoadingHTTPTypes
import URLLoadingTestServers

/// Loads by requests of swift-http-types, from real servers.
@Suite(.timeLimit(.minutes(4))) struct LoadingTests {
  private func request(_ url: URL, _ method: HTTPRequest.Method = .get) -> HTTPRequest {
    HTTPRequest(method: method, url: url)
  }

  @Test func dataIsLoaded() async throws {
    let server = try await NginxServer.shared
    let (data, response) = try await URLSession.shared.data(for: request(server.url()))
    #expect(data == DocumentRoot.small)
    #expect(response.status == .ok)
    #expect(response.headerFields[.contentType] == "text/plain")
    #expect(response.headerFields[.contentLength] == "1024")
  }

  @Test func fieldsAndMethodAreSent() async throws {
    let server = try await NginxServer.shared
    var request = request(server.url("/echo?a=b"))
    request.headerFields = [
      try .named("X-Test"): "Grüße", try .named("x-test"): "2", .cookie: "a=1", .cookie: "b=2", .accept: "text/plain",
    ]
    let (data, _) = try await URLSession(configuration: .ephemeral).data(for: request)
    let text = String(decoding: data, as: UTF8.self)
    for line in ["target: /echo?a=b", "x-test: Grüße, 2", "cookie: a=1; b=2", "accept: text/plain"] {
      #expect(text.contains("\(line)\n"), "\(text)")
    }
  }

  @Test func bytesAndFilesAreUploaded() async throws {
    let server = try await NginxServer.shared
    let name = UUID().uuidString
    let target = server.url("/upload/\(name)")
    let (_, created) = try await URLSession.shared.upload(for: request(target, .put), from: Data("bytes".utf8))
    #expect(created.status == .created)
    let folder = try TemporaryDirectory("http-types")
    let file = try folder.write("body", Data("a file".utf8))
    let (_, replaced) = try await URLSession.shared.upload(for: request(target, .put), fromFile: file)
    #expect(replaced.status == .noContent)
    #expect(try Data(contentsOf: server.uploads.appending(component: name)) == Data("a file".utf8))
  }

  @Test func aFileIsDownloaded() async throws {
    let server = try await NginxServer.shared
    let (file, response) = try await URLSession.shared.download(for: request(server.url()))
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(response.status == .ok)
    #expect(try Data(contentsOf: file) == DocumentRoot.small)
  }

  @Test func bytesComeOneByOne() async throws {
    let server = try await NginxServer.shared
    let (bytes, response) = try await URLSession.shared.bytes(for: request(server.url()))
    #expect(response.status == .ok)
    var lines: [String] = []
    for try await line in bytes.lines { lines.append(line) }
    #expect(lines.count == 64)
    #expect(lines.first == "small line 000.")
  }

  @Test func aStatusIsNoError() async throws {
    let server = try await NginxServer.shared
    let (data, response) = try await URLSession.shared.data(for: request(server.url("/status/404")))
    #expect(response.status == .notFound)
    #expect(data == Data("status 404\n".utf8))
  }

  /// Refuses redirects, and counts them.
  private final class Refusing: NSObject, URLSessionTaskDelegate {
    let count = Watched(0)

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? {
      count.update { $0 += 1 }
      return nil
    }
  }

  @Test func theDelegateOfTheCallIsAsked() async throws {
    let server = try await NginxServer.shared
    let redirect = request(server.url("/redirect/302"))
    let delegate = Refusing()
    let (_, response) = try await URLSession.shared.data(for: redirect, delegate: delegate)
    #expect(response.status == .found)
    let (_, uploaded) = try await URLSession.shared.upload(for: redirect, from: Data(), delegate: delegate)
    #expect(uploaded.status == .found)
    let (file, downloaded) = try await URLSession.shared.download(for: redirect, delegate: delegate)
    try FileManager.default.removeItem(at: file)
    #expect(downloaded.status == .found)
    let (_, streamed) = try await URLSession.shared.bytes(for: redirect, delegate: delegate)
    #expect(streamed.status == .found)
    #expect(delegate.count.value == 4)
  }

  @Test func repeatedFieldsAndTrailersOfAServerStayApart() async throws {
    let server = try ScriptedServer { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send(
        "HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT\r\nvia: x\r\nSet-Cookie: b=2, c=3\r\n"
          + ":status: 500\r\nVIA: y\r\nX-Test: Gr\u{FC}\u{DF}e\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n")
      try connection.sendChunk(Data("body".utf8))
      try connection.send("0\r\nX-Sum: 1\r\n\r\n")
    }
    let (data, response) = try await URLSession(configuration: .ephemeral).data(for: request(server.url()))
    #expect(data == Data("body".utf8))
    #expect(
      response.headerFields[values: .setCookie] == ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2, c=3"])
    #expect(response.headerFields[values: .via] == ["x", "y"])
    #expect(response.headerFields[try .named("X-Test")] == "Grüße")
    #expect(!response.headerFields.contains(try .named("X-Sum")))
    #expect(response.status == .ok)
  }

  @Test func aTaskTellsItsMessages() async throws {
    let server = try await NginxServer.shared
    let url = server.url("/redirect/302")
    let task = URLSession.shared.dataTask(with: url)
    #expect(task.httpResponse == nil)
    #expect(task.originalHTTPRequest == request(url))
    await withCheckedContinuation { continuation in
      task.delegate = Ending { continuation.resume() }
      task.resume()
    }
    #expect(task.httpResponse?.status == .ok)
    #expect(task.originalHTTPRequest?.path == "/redirect/302")
    #expect(task.currentHTTPRequest?.path == "/small.txt")
    #expect(URLSession.shared.dataTask(with: URL(filePath: "/x")).originalHTTPRequest?.scheme == "file")
  }

  private final class Ending: NSObject, URLSessionTaskDelegate {
    let handler: @Sendable () -> Void
    init(_ handler: @escaping @Sendable () -> Void) { self.handler = handler }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) { handler() }
  }

  @Test func aResponseThatIsNoneOfHTTPIsAnError() async throws {
    let folder = try TemporaryDirectory("http-types")
    let url = try folder.write("file", Data("content".utf8))
    let file = try #require(URLRequest(url: url).httpRequest)
    let session = URLSession(configuration: .ephemeral)
    for load in [
      { _ = try await session.data(for: file) }, { _ = try await session.download(for: file) },
      { _ = try await session.bytes(for: file) },
    ] as [@Sendable () async throws -> Void] {
      let error = await #expect(throws: URLError.self) { try await load() }
      #expect(error?.code == .cannotParseResponse)
      #expect(error?.failingURL?.scheme == "file")
    }
  }

  @Test func aSessionMeetsAProtocolOfTheSameNames() async throws {
    let server = try await NginxServer.shared
    let client: any Client = URLSession.shared
    #expect(try await client.data(for: request(server.url())).0 == DocumentRoot.small)
  }
}

/// What a program requires of a session, so that tests can put something else in its place.
private protocol Client {
  func data(for request: HTTPRequest) async throws -> (Data, HTTPResponse)
  func upload(for request: HTTPRequest, from bodyData: Data) async throws -> (Data, HTTPResponse)
  func upload(for request: HTTPRequest, fromFile fileURL: URL) async throws -> (Data, HTTPResponse)
}

extension URLSession: Client {}
