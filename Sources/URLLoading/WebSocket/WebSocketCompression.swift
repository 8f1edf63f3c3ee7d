internal import URLLoadingHTTPSemantics

/// The compression of messages that client and server have agreed on (permessage-deflate, RFC 7692).
struct WebSocketCompression: Equatable, Sendable {
  /// Whether the server's messages refer to those before (section 7.1.1.1).
  var serverKeepsContext = true
  /// Whether ours may (section 7.1.1.2).
  var clientKeepsContext = true
  /// The logarithm of how far back the server's messages refer, in bytes (section 7.1.2.1).
  var serverWindowBits = 15
  /// The same for ours (section 7.1.2.2).
  var clientWindowBits = 15

  /// What a client offers: anything, and to go by the server's wish for a smaller window.
  static let offer = "permessage-deflate; client_max_window_bits"

  init() {}

  /// Reads what a server agrees to with its `Sec-WebSocket-Extensions`.
  /// - Throws: why the answer is not one to ``offer`` (sections 5.1 and 7.1).
  init(agreedBy field: String) throws(WebSocketHandshake.Refusal) {
    var scanner = FieldScanner(field)
    scanner.skipWhitespace()
    guard let name = scanner.token(), name.lowercased() == "permessage-deflate" else {
      throw WebSocketHandshake.Refusal(
        words: "the server uses an extension that was not offered: \(field.prefix(100))")
    }
    var seen: Set<String> = []
    scanner.skipWhitespace()
    while scanner.skip(";") {
      scanner.skipWhitespace()
      guard let name = scanner.token()?.lowercased() else { throw Self.refusal(field) }
      scanner.skipWhitespace()
      var value: String?
      if scanner.skip("=") {
        scanner.skipWhitespace()
        value = scanner.quotedString() ?? scanner.token()
        guard value != nil else { throw Self.refusal(field) }
      }
      guard seen.insert(name).inserted, take(name, value) else { throw Self.refusal(field) }
      scanner.skipWhitespace()
    }
    guard scanner.isAtEnd else { throw Self.refusal(field) }
  }

  /// - Returns: false where it is no parameter of an answer.
  private mutating func take(_ name: String, _ value: String?) -> Bool {
    switch (name, value) {
    case ("server_no_context_takeover", nil): serverKeepsContext = false
    case ("client_no_context_takeover", nil): clientKeepsContext = false
    case ("server_max_window_bits", let value?):
      guard let bits = Self.windowBits(value) else { return false }
      serverWindowBits = bits
    case ("client_max_window_bits", let value?):
      guard let bits = Self.windowBits(value) else { return false }
      clientWindowBits = bits
    default: return false
    }
    return true
  }

  /// A number from 8 to 15 without leading zeros (section 7.1.2.1).
  private static func windowBits(_ text: String) -> Int? {
    (8...15).first { String($0) == text }
  }

  private static func refusal(_ field: String) -> WebSocketHandshake.Refusal {
    WebSocketHandshake.Refusal(
      words:
        "the server's Sec-WebSocket-Extensions is no answer to \"\(offer)\" (RFC 7692, section 7.1): \(field.prefix(200))"
    )
  }
}
