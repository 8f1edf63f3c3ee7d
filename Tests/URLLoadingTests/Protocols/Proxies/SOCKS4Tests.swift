import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Loads through a proxy of SOCKS 4a, whose part a script plays (https://www.openssh.com/txt/socks4a.protocol).
@Suite(.timeLimit(.minutes(4))) struct SOCKS4Tests {
  /// What the proxy was asked.
  private struct Question: Sendable, Equatable {
    let version, command: UInt8
    let port: UInt16
    let address: [UInt8]
    let user, host: String
  }

  /// A proxy that answers with a code (90 for yes), and plays the server behind it as well.
  private static func proxy(_ code: UInt8, _ questions: Watched<[Question]>) throws -> ScriptedServer {
    try ScriptedServer { connection in
      let head = [UInt8](try connection.readBody(count: 8))
      let question = Question(
        version: head[0], command: head[1], port: UInt16(head[2]) << 8 | UInt16(head[3]), address: Array(head[4...]),
        user: try text(from: connection), host: try text(from: connection))
      questions.update { $0.append(question) }
      try connection.send(Data([0, code, 0, 0, 0, 0, 0, 0]))
      guard code == 90 else { return }
      while let request = try connection.readRequest() {
        try connection.send(HTTPResponse(text: "\(request.fields["Host"] ?? "") \(request.target)"), to: request)
      }
    }
  }

  /// Bytes up to a zero.
  private static func text(from connection: Connection) throws -> String {
    var bytes: [UInt8] = []
    while let byte = try connection.readBody(count: 1).first, byte != 0 { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func client(_ proxy: ScriptedServer) -> RecordedSession {
    RecordedSession {
      $0.connectionProxyDictionary = [
        kCFNetworkProxiesSOCKSProxy: "127.0.0.1", kCFNetworkProxiesSOCKSPort: Int(proxy.port),
        kCFStreamPropertySOCKSVersion: kCFStreamSocketSOCKSVersion4,
      ]
    }
  }

  /// The name does not exist here: only the proxy can know it.
  @Test func theProxyGetsTheNameAndTheServerTheRequest() async throws {
    let questions = Watched<[Question]>([])
    let proxy = try Self.proxy(90, questions)
    let record = await Self.client(proxy).load(try #require(URL(string: "http://name.invalid:8080/path?query")))
    #expect(record.text == "name.invalid:8080 /path?query", "\(String(describing: record.error))")
    let question = try #require(questions.value.first)
    #expect(questions.value.count == 1 && question.version == 4 && question.command == 1)
    #expect(question.port == 8080 && question.host == "name.invalid" && question.user.isEmpty)
    // An address that is not one says that a name follows.
    #expect(question.address.prefix(3) == [0, 0, 0] && question.address.last != 0)
  }

  @Test func aRefusalEndsTheLoad() async throws {
    let questions = Watched<[Question]>([])
    let proxy = try Self.proxy(91, questions)
    let record = await Self.client(proxy).load(try #require(URL(string: "http://name.invalid/")))
    #expect(record.error is URLError && record.response == nil && record.completions == 1)
    #expect(questions.value.count == 1)
  }
}
