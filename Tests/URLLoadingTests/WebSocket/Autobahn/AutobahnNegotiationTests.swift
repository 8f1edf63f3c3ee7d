import Foundation
import Testing

@testable import URLLoading

/// Section 13 of the suite: compression with the parameters that it has.
@Suite(.timeLimit(.minutes(4))) struct AutobahnNegotiationTests {
  /// What the suite's server answers the package's offer with, case 13.1 and on. Of the three answers that 13.7 has in store, the first
  /// fits.
  static let answers = [
    AutobahnAgreement(),
    AutobahnAgreement(clientKeepsContext: false),
    AutobahnAgreement(clientWindowBits: 9),
    AutobahnAgreement(clientWindowBits: 15),
    AutobahnAgreement(clientKeepsContext: false, clientWindowBits: 9),
    AutobahnAgreement(clientKeepsContext: false, clientWindowBits: 15),
    AutobahnAgreement(clientKeepsContext: false, clientWindowBits: 9),
  ]

  static let cases = answers.enumerated().flatMap { AutobahnExchange.section("13.\($0 + 1)", $1, .json) }

  @Test(arguments: cases) func answered(_ one: AutobahnExchange) throws { try one.expectToPass() }

  /// The same parameters for the server's side: the suite's client asks for them, and a server may answer so unasked.
  static let mirrored = (1..<6).flatMap { (index: Int) -> [AutobahnExchange] in
    let answer = answers[index]
    let agreement = AutobahnAgreement(
      serverKeepsContext: answer.clientKeepsContext, clientKeepsContext: answer.clientKeepsContext,
      serverWindowBits: answer.clientWindowBits, clientWindowBits: answer.clientWindowBits, isOfCase: false)
    return AutobahnExchange.section("13.\(index + 1)", agreement, .json)
  }

  @Test(arguments: mirrored) func answeredForBothSides(_ one: AutobahnExchange) throws { try one.expectToPass() }

  /// Releases of the suite before the window of 512 bytes ask for one of 256, which zlib cannot write.
  static let smallest = [true, false].flatMap {
    AutobahnExchange.section(
      $0 ? "13.3" : "13.5", AutobahnAgreement(clientKeepsContext: $0, clientWindowBits: 8, isOfCase: false), .json)
  }

  @Test(arguments: smallest) func answeredWithTheSmallestWindow(_ one: AutobahnExchange) throws {
    try one.expectToPass()
  }

  // MARK: Agreements

  @Test(arguments: answers) func agreed(_ answer: AutobahnAgreement) throws {
    var expected = WebSocketCompression()
    expected.clientKeepsContext = answer.clientKeepsContext
    expected.clientWindowBits = answer.clientWindowBits ?? 15
    #expect(try agreement(answer.answer) == expected)
  }

  /// The server declines: messages go as they are.
  @Test func declined() throws {
    #expect(try agreement(nil) == nil)
  }

  @Test(arguments: answers) func answeredUnasked(_ answer: AutobahnAgreement) {
    #expect(throws: WebSocketHandshake.Refusal.self) { try agreement(answer.answer, offersCompression: false) }
  }

  /// What the suite's client offers is no answer: it leaves a choice.
  @Test(arguments: [
    "permessage-deflate; client_no_context_takeover; client_max_window_bits",
    "permessage-deflate; client_max_window_bits; server_no_context_takeover",
    "permessage-deflate; client_max_window_bits; server_max_window_bits=9",
    "permessage-deflate; server_no_context_takeover; server_max_window_bits=9, permessage-deflate",
  ])
  func offersAreNoAnswers(_ offer: String) {
    #expect(throws: WebSocketHandshake.Refusal.self) { try agreement(offer) }
  }

  /// What a whole handshake comes to.
  private func agreement(_ answer: String?, offersCompression: Bool = true) throws -> WebSocketCompression? {
    var handshake = WebSocketHandshake(protocols: [], offersCompression: offersCompression)
    var request = URLRequest(url: try #require(URL(string: "ws://localhost/")))
    handshake.prepare(&request)
    var fields = [
      "Upgrade": "websocket", "Connection": "Upgrade",
      "Sec-WebSocket-Accept": WebSocketHandshake.accept(request.value(forHTTPHeaderField: "Sec-WebSocket-Key") ?? ""),
    ]
    fields["Sec-WebSocket-Extensions"] = answer
    let url = try #require(request.url)
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 101, httpVersion: "HTTP/1.1", headerFields: fields))
    return try handshake.agreement(by: response).compression
  }
}
