import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Servers that do not take a request's body as it comes.
@Suite(.timeLimit(.minutes(4))) struct HostileUploadTests {
  enum Source: String, CaseIterable, Sendable { case data, file, stream }

  private static let body = TestFiles.pattern(count: 16 << 20)

  /// Uploads 16 MiB to a server that reads the head only and then runs a script; then loads `/good`.
  private func upload(
    _ source: Source, timeout: Double = Sanitizing.isOn ? 60 : 10, done: AsyncEvent? = nil,
    _ script: @escaping @Sendable (Connection) throws -> Void
  ) async throws -> LoadRecord {
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        guard request.path == "/good" else { return try script(connection) }
        try connection.send(HTTPResponse(text: "good"))
      }
    }
    let folder = try TemporaryDirectory()
    let client = RecordedSession(LoadRecorder(onStream: { _ in InputStream(data: Self.body) }))
    var request = URLRequest(url: server.url("/upload"), timeoutInterval: timeout)
    request.httpMethod = "PUT"
    let task =
      switch source {
      case .data: client.session.uploadTask(with: request, from: Self.body)
      case .file: client.session.uploadTask(with: request, fromFile: try folder.write("body", Self.body))
      case .stream: client.session.uploadTask(withStreamedRequest: request)
      }
    let record = await client.run(task)
    #expect(record.completions == 1)
    #expect(await client.load(server.url("/good")).text == "good")
    client.session.invalidateAndCancel()
    done?.signal()
    #expect(await server.stop())
    return record
  }

  @Test(arguments: Source.allCases)
  func aServerThatNeverReadsTheUploadTimesOut(_ source: Source) async throws {
    let done = AsyncEvent()
    let record = try await upload(source, timeout: 0.5, done: done) { _ in _ = done.waitBlocking() }
    #expect(record.code == .timedOut, "\(String(describing: record.error))")
  }

  @Test(arguments: Source.allCases)
  func anAnswerBeforeTheUploadIsDoneIsTheResult(_ source: Source) async throws {
    let record = try await upload(source) { connection in
      try connection.send(HTTPResponse(413, fields: ["Connection": "close"], text: "too large"))
      connection.closeWriting()
      _ = connection.waitForPeerClose()
    }
    #expect(record.status == 413 && record.text == "too large" && record.error == nil, "\(record)")
  }

  @Test(arguments: Source.allCases)
  func aConnectionThatIsResetDuringTheUploadIsLost(_ source: Source) async throws {
    let record = try await upload(source) { connection in
      _ = try connection.readBody(count: 1000)
      connection.reset()
    }
    #expect(record.code == .networkConnectionLost, "\(String(describing: record.error))")
  }

  @Test(arguments: Source.allCases)
  func aConnectionThatClosesDuringTheUploadIsLost(_ source: Source) async throws {
    let record = try await upload(source) { connection in _ = try connection.readBody(count: 1000) }
    #expect(record.code == .networkConnectionLost, "\(String(describing: record.error))")
  }

  @Test func aFileThatChangesWhileItIsSentIsAnError() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", Self.body)
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequestHead() else { return }
      _ = try connection.readBody(count: 1 << 20)
      let handle = try FileHandle(forWritingTo: file)
      try handle.write(contentsOf: Data("other".utf8))
      try handle.close()
      _ = try connection.readBody(count: (request.fields["Content-Length"].flatMap { Int($0) } ?? 0) - (1 << 20))
    }
    let client = RecordedSession()
    var request = URLRequest(url: server.url("/upload"))
    request.httpMethod = "PUT"
    let record = await client.run(client.session.uploadTask(with: request, fromFile: file))
    #expect(record.completions == 1 && record.status == nil)
    #expect(record.error?.localizedDescription.contains("changed") == true, "\(String(describing: record.error))")
  }

  @Test func aFileThatShrinksWhileItIsSentIsAnError() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("body", Self.body)
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequestHead() else { return }
      _ = try connection.readBody(count: 1 << 20)
      _ = truncate(file.path, 2 << 20)
      _ = try connection.readBody(count: (request.fields["Content-Length"].flatMap { Int($0) } ?? 0) - (1 << 20))
    }
    let client = RecordedSession()
    var request = URLRequest(url: server.url("/upload"))
    request.httpMethod = "PUT"
    let record = await client.run(client.session.uploadTask(with: request, fromFile: file))
    #expect(record.error is URLError && record.completions == 1)
    #expect(record.error?.localizedDescription.contains("shrank") == true, "\(String(describing: record.error))")
  }
}
