import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Something that a well-behaved server never does, and what a load has to make of it.
struct Hostility: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    case failure(URLError.Code)
    case success(Int, String)
  }

  let name: String
  let outcome: Outcome
  var method = "GET"
  var body: Data?
  /// Seconds.
  var timeout = 10.0
  /// Runs after the request was read; the connection is closed when it returns.
  let script: @Sendable (Connection) throws -> Void

  var testDescription: String { name }

  init(
    _ name: String, _ outcome: Outcome, method: String = "GET", timeout: Double = 10,
    script: @escaping @Sendable (Connection) throws -> Void
  ) {
    self.name = name
    self.outcome = outcome
    self.method = method
    self.timeout = timeout
    self.script = script
  }

  /// A server that sends this and closes.
  init(_ name: String, _ outcome: Outcome, method: String = "GET", sends bytes: String) {
    self.init(name, outcome, method: method, sends: Data(bytes.utf8))
  }

  /// A server that sends this and closes.
  init(_ name: String, _ outcome: Outcome, method: String = "GET", sends bytes: Data) {
    self.init(name, outcome, method: method) { connection in
      try connection.send(bytes)
      connection.closeWriting()
      _ = connection.waitForPeerClose(timeout: .seconds(5))
    }
  }

  /// A server that sends a head and then the same piece for ever.
  static func endless(
    _ name: String, _ outcome: Outcome, head: String, piece: String, sent: Watched<Int>
  ) -> Hostility {
    Hostility(name, outcome) { connection in
      let bytes = Data(piece.utf8)
      try connection.send(head)
      while sent.value < 1 << 30 {
        try connection.send(bytes)
        sent.update { $0 += bytes.count }
      }
    }
  }

  /// Starts a server that does this at any path but `/good`, which works.
  func server() throws -> ScriptedServer {
    let script = script
    return try ScriptedServer { connection in
      while let request = try connection.readRequestHead() {
        guard request.path == "/good" else { return try script(connection) }
        try connection.send(HTTPResponse(text: "good"))
      }
    }
  }

  /// Loads from such a server and checks the outcome; then that the session still works.
  func check(as kind: LoadKind, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let server = try server()
    let client = RecordedSession()
    var request = URLRequest(url: server.url("/hostile"), timeoutInterval: timeout)
    request.httpMethod = method
    request.httpBody = body
    let record = await client.load(request, as: kind)
    #expect(record.completions == 1, sourceLocation: sourceLocation)
    switch outcome {
    case .failure(let code):
      #expect(
        record.code == code, "\(String(describing: record.error)) \(record.text.prefix(100))",
        sourceLocation: sourceLocation)
      let url = server.url("/hostile").absoluteString
      #expect(record.error?.localizedDescription.isEmpty == false, sourceLocation: sourceLocation)
      #expect(
        (record.error as? URLError)?.failingURL?.absoluteString == url, sourceLocation: sourceLocation)
    case .success(let status, let text):
      #expect(record.error == nil, sourceLocation: sourceLocation)
      #expect(record.status == status, sourceLocation: sourceLocation)
      #expect(record.text == text, sourceLocation: sourceLocation)
    }
    let good = await client.load(server.url("/good"), as: kind)
    #expect(
      good.text == "good" && good.error == nil, "the session does not work any more: \(good)",
      sourceLocation: sourceLocation)
    let late = client.recorder.records.value.values
    #expect(late.allSatisfy { $0.completions <= 1 }, sourceLocation: sourceLocation)
    client.session.invalidateAndCancel()
    #expect(await server.stop(), sourceLocation: sourceLocation)
  }
}
