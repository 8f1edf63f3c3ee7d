/// An `Alt-Svc` field (RFC 7838, section 3).
enum AltSvcField: Equatable {
  /// The origin ends its alternatives.
  case clear
  /// The alternatives, the best first.
  case services([Service])

  /// One alternative, of whatever protocol.
  struct Service: Equatable {
    /// The protocol by its ALPN name (RFC 7301), as bytes: `h3`.
    var protocolName: String
    /// Empty for the origin's own.
    var host: String
    var port: UInt16
    /// How long it holds, in seconds since the response was made.
    var maxAge: Int64
    /// Whether it stays when the network changes.
    var persists: Bool
  }

  /// How long an alternative holds that does not say it, in seconds (section 3.1).
  static let defaultAge: Int64 = 86_400
  /// Longer ages count as this one: a hundred years, in seconds.
  static let longestAge: Int64 = 100 * 366 * 86_400
  /// Alternatives beyond these are not read.
  static let maximumServices = 16

  /// Reads a field's value, the lines of several fields being joined by commas; nil where it is to be ignored, since its syntax is wrong.
  init?(_ value: String) {
    var scanner = FieldScanner(value)
    var services: [Service] = []
    var isClear = false
    while true {
      scanner.skipWhitespace()
      // A list may have empty members (RFC 9110, section 5.6.1.2).
      if let name = scanner.token() {
        // In this case alone, also beside alternatives, which then end, too.
        if name == "clear", scanner.peek != UInt8(ascii: "=") {
          isClear = true
        } else {
          guard let service = Self.service(named: name, &scanner) else { return nil }
          if services.count < Self.maximumServices { services.append(service) }
        }
      }
      scanner.skipWhitespace()
      if scanner.isAtEnd { break }
      guard scanner.skip(",") else { return nil }
    }
    guard isClear || !services.isEmpty else { return nil }
    self = isClear ? .clear : .services(services)
  }

  /// What follows the name of a protocol: `="host:port"; ma=1; persist=1`.
  private static func service(named name: String, _ scanner: inout FieldScanner) -> Service? {
    guard let protocolName = decodedName(name), scanner.skip("="), let authority = scanner.wholeQuotedString(),
      let (host, port) = endpoint(authority)
    else { return nil }
    var service = Service(
      protocolName: protocolName, host: host, port: port, maxAge: defaultAge, persists: false)
    while true {
      scanner.skipWhitespace()
      guard scanner.skip(";") else { return service }
      scanner.skipWhitespace()
      guard let parameter = scanner.token()?.lowercased(), scanner.skip("="),
        let value = scanner.token() ?? scanner.wholeQuotedString()
      else { return nil }
      switch parameter {
      case "ma":
        guard let seconds = seconds(value) else { return nil }
        service.maxAge = seconds
      // Section 3.1: any other value is to be ignored.
      case "persist": service.persists = value == "1"
      default: break
      }
    }
  }

  /// Octets that a token may not have are percent-encoded, and no others (section 3).
  private static func decodedName(_ token: String) -> String? {
    var name: [UInt8] = []
    var rest = token.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        name.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      name.append(high << 4 | low)
    }
    return String(decoding: name, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) }

  /// `host:port`, or `:port` for the origin's host.
  private static func endpoint(_ authority: String) -> (host: String, port: UInt16)? {
    guard let colon = authority.lastIndex(of: ":"),
      let port = Int64(asciiDigits: authority[authority.index(after: colon)...]).flatMap(UInt16.init(exactly:)),
      port > 0
    else { return nil }
    let text = authority[..<colon]
    if text.isEmpty { return ("", port) }
    // Two colons are an address of IPv6, which has brackets there.
    guard !text.contains(":") || text.hasPrefix("["), let host = HTTPOrigin.canonicalHost(String(text)) else {
      return nil
    }
    return (host, port)
  }

  private static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
    return min(Int64(text) ?? longestAge, longestAge)
  }
}
