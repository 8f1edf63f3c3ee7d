internal import URLLoadingBase

/// The sub-protocols that a client offers (RFC 6455, section 4.1).
enum WebSocketSubprotocols {
  static let field = "Sec-WebSocket-Protocol"

  /// The members of a field that offers some.
  static func members(of fieldValue: String) -> [String] {
    fieldValue.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// What is wrong with an offer, as a clause; nil for one that can be made, and for none.
  static func invalidReason(in names: [String]) -> String? {
    var seen: Set<String> = []
    for name in names {
      guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter) else {
        return "\(String(name.prefix(100)).debugDescription) is not a token (RFC 6455, section 4.1)"
      }
      guard seen.insert(name).inserted else {
        return "\"\(name.prefix(100))\" is offered twice (RFC 6455, section 4.1)"
      }
    }
    return nil
  }
}
