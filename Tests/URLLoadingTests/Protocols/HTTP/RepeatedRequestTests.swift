import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Requests on a kept connection that the server reads, and then closes without an answer (RFC 9112, section 9.3.1).
@Suite(.timeLimit(.minutes(4))) struct RepeatedRequestTests {
  /// Answers the first request of the first connection, reads the second one whole, and closes; answers all on the others.
  private static func silent(resets: Bool = false) throws -> ScriptedServer {
    try ScriptedServer { connection in
      guard let first = try connection.readRequest() else { return }
      try connection.send(HTTPResponse(text: first.method))
      while let next = try connection.readRequest() {
        if connection.number == 1 { return resets ? connection.reset() : connection.close() }
        try connection.send(HTTPResponse(text: next.method))
      }
    }
  }

  /// Where a request's body comes from.
  enum Source: String, CaseIterable {
    case none, empty, data, file, stream
  }

  private static func task(
    _ method: String, _ source: Source, to url: URL, _ session: URLSession, file: URL
  ) -> URLSessionTask {
    var request = URLRequest(url: url)
    request.httpMethod = method
    switch source {
    case .none: return session.dataTask(with: request)
    case .empty: return session.uploadTask(with: request, from: Data())
    case .data: return session.uploadTask(with: request, from: Data("a body".utf8))
    case .file: return session.uploadTask(with: request, fromFile: file)
    case .stream: return session.uploadTask(withStreamedRequest: request)
    }
  }

  private static func run(
    _ method: String, _ source: Source, at server: ScriptedServer
  ) async throws -> (record: LoadRecord, count: Int) {
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", Data("a body".utf8))
    let client = RecordedSession(LoadRecorder(onStream: { _ in InputStream(data: Data("a body".utf8)) }))
    #expect(await client.load(server.url("/first")).error == nil)
    let record = await client.run(Self.task(method, source, to: server.url("/second"), client.session, file: file))
    return (record, server.log.requests.filter { $0.path == "/second" }.count)
  }

  @Test(arguments: ["POST", "PATCH", "LOCK"], Source.allCases)
  func whatIsNotIdempotentIsSentOnce(_ method: String, _ source: Source) async throws {
    let (record, count) = try await Self.run(method, source, at: Self.silent())
    let error = try #require(record.error as? URLError)
    #expect(error.code == .networkConnectionLost)
    #expect(error.localizedDescription.contains("\(method) is not idempotent"), "\(error.localizedDescription)")
    #expect(count == 1)
  }

  @Test(arguments: [Source.empty, .data])
  func aResetIsNoReasonToSendItAgain(_ source: Source) async throws {
    let (record, count) = try await Self.run("POST", source, at: Self.silent(resets: true))
    #expect((record.error as? URLError)?.code == .networkConnectionLost)
    #expect(count == 1)
  }

  @Test(arguments: ["GET", "PUT", "DELETE", "OPTIONS", "PROPFIND"], [Source.none, .data])
  func whatIsIdempotentIsSentAgain(_ method: String, _ source: Source) async throws {
    let (record, count) = try await Self.run(method, source, at: Self.silent())
    #expect(record.error == nil && record.text == method, "\(String(describing: record.error))")
    #expect(count == 2)
  }

  @Test(arguments: [Source.file, .stream])
  func anIdempotentUploadIsSentAgain(_ source: Source) async throws {
    let (record, count) = try await Self.run("PUT", source, at: Self.silent())
    #expect(record.error == nil && record.text == "PUT", "\(String(describing: record.error))")
    #expect(count == 2)
  }

  /// libcurl sees before it writes that the connection is gone.
  @Test(arguments: Source.allCases)
  func aConnectionThatWasClosedBeforeIsReplacedForAPost(_ source: Source) async throws {
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      try connection.send(HTTPResponse(text: request.method))
    }
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", Data("a body".utf8))
    let client = RecordedSession(LoadRecorder(onStream: { _ in InputStream(data: Data("a body".utf8)) }))
    for number in 0..<5 {
      let record = await client.run(Self.task("POST", source, to: server.url("/\(number)"), client.session, file: file))
      #expect(record.error == nil && record.text == "POST", "\(number): \(String(describing: record.error))")
      #expect(try await eventually { server.openConnectionCount == 0 })
    }
    #expect(server.log.requests.count == 5)
  }

  /// The server goes away without having looked at it (RFC 9113, section 6.8).
  @Test(arguments: ["POST", "GET"], [Source.none, .data, .file, .stream])
  func whatAServerHasRefusedIsSentAgain(_ method: String, _ source: Source) async throws {
    let server = try ScriptedServer { connection in
      try connection.beginHTTP2()
      while true {
        let stream = try connection.readHTTP2Request()
        if connection.number == 1, stream > 1 {
          try connection.send([.goAway(last: 1)])
        } else {
          try connection.send([.head(stream: stream), .body(stream: stream, Data("done".utf8), ends: true)])
        }
      }
    }
    let front = try await TLSFront.start(before: server.port)
    let authority = try await TestCertificates.shared.authority
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", Data("a body".utf8))
    let client = RecordedSession(LoadRecorder(onStream: { _ in InputStream(data: Data("a body".utf8)) })) {
      $0.certificateAuthorityFile = authority
    }
    #expect(await client.load(front.url("/first")).text == "done")
    let record = await client.run(Self.task(method, source, to: front.url("/second"), client.session, file: file))
    #expect(record.error == nil && record.text == "done", "\(String(describing: record.error))")
    #expect(server.connectionCount == 2)
  }

  /// A challenge is an answer: what follows is another request.
  @Test(arguments: ["/digest/md5", "/basic"], [Source.data, .empty])
  func aPostIsSentAgainWithACredential(_ path: String, _ source: Source) async throws {
    let server = try await AuthServer.shared
    let credential = URLCredential(user: AuthServer.user, password: AuthServer.password, persistence: .none)
    let client = RecordedSession(LoadRecorder(onChallenge: { _ in (.useCredential, credential) }))
    let record = await client.run(
      Self.task("POST", source, to: server.url(path), client.session, file: URL(fileURLWithPath: "/dev/null")))
    #expect(record.error == nil && record.status == 200, "\(String(describing: record.error))")
  }
}
