internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// Fields of a request whose octets came from a server, and go back to it as they were.
extension URLRequest {
  private static let latin1CookiesKey = "URLLoading.latin1Cookies"

  /// The value of the `Cookie` field if each of its characters is an octet.
  private var latin1Cookies: String? {
    get { protocolProperty(forKey: Self.latin1CookiesKey) as? String }
    set { setProtocolProperty(newValue, forKey: Self.latin1CookiesKey) }
  }

  /// Sets the `Cookie` field.
  mutating func setCookies(_ field: OctetText) {
    setValue(field.text, forHTTPHeaderField: "Cookie")
    if field.isLatin1 { latin1Cookies = field.text }
  }

  /// Takes over the `Cookie` field of another request.
  mutating func takeCookies(of other: URLRequest) {
    setValue(other.value(forHTTPHeaderField: "Cookie"), forHTTPHeaderField: "Cookie")
    if let cookies = other.latin1Cookies { latin1Cookies = cookies }
  }

  /// The names, in lower case, of fields whose characters are octets. Entity tags are always read so, see `FieldOctets`.
  var latin1Fields: Set<String> {
    var names: Set<String> = []
    for (name, value) in fields.fields where value.utf8.contains(where: { $0 >= 0x80 }) {
      let name = name.lowercased()
      switch name {
      case "if-match", "if-none-match", "if-range": names.insert(name)
      case "cookie": if value == latin1Cookies { names.insert(name) }
      default: break
      }
    }
    return names
  }
}
