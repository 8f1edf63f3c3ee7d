internal import URLLoadingBase
internal import URLLoadingCurlTransport
internal import URLLoadingHTTPSemantics

/// What loads take from the process that they are made in, beside their session's configuration. The transfer service loads by that of a
/// task's program (<doc:Architecture>).
package struct LoadEnvironment: Codable, Sendable, Hashable {
  /// The variables that loads go by.
  package static let names = ProxySelector.variables + ["SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK"]

  /// Those that name proxies, and may have passwords of theirs.
  package static let proxyNames = ProxySelector.variables.filter { !["no_proxy", "NO_PROXY"].contains($0) }

  /// In bytes, of all values: a message has room for more.
  static let largestCount = 64 << 10

  /// Those of ``names`` that are set and not empty.
  package var variables: [String: String] = [:]
  package var userAgent: String
  package var acceptLanguage: String?
  /// The user's directory, where the configuration of SSH is.
  package var home: String

  package init(variables: [String: String], userAgent: String, acceptLanguage: String? = nil, home: String) {
    self.variables = variables
    self.userAgent = userAgent
    self.acceptLanguage = acceptLanguage
    self.home = home
  }

  /// That of this process, as it is.
  package static var current: LoadEnvironment {
    var variables: [String: String] = [:]
    for name in names { variables[name] = ProcessEnvironment.nonemptyValue(of: name) }
    // Another process has another working directory.
    for name in ["SSL_CERT_FILE", "SSL_CERT_DIR", "SSH_AUTH_SOCK"] {
      if let path = variables[name], !path.hasPrefix("/") { variables[name] = URL(fileURLWithPath: path).path }
    }
    return LoadEnvironment(
      variables: variables, userAgent: UserAgent.ofProcess,
      acceptLanguage: AcceptLanguage.value(environment: ProcessEnvironment.value(of:)), home: NSHomeDirectory())
  }

  /// Whether all values together are longer than another process is told.
  var isTooLong: Bool {
    variables.reduce((acceptLanguage ?? "").utf8.count + home.utf8.count) { $0 + $1.value.utf8.count }
      > Self.largestCount
  }

  /// Whether a process that does not know this would load otherwise: past a proxy, or by other authorities.
  var isOfConsequence: Bool { variables.keys.contains { $0 != "SSH_AUTH_SOCK" } }

  /// The same without the passwords of proxies, for a disk.
  package var withoutPasswords: LoadEnvironment {
    var environment = self
    for name in Self.proxyNames { environment.variables[name] = variables[name].map { Self.withoutPassword($0) } }
    return environment
  }

  /// This, from a disk, with the passwords that another process has for the same proxies.
  package func filled(from other: LoadEnvironment?) -> LoadEnvironment {
    guard let other else { return self }
    let cleared = other.withoutPasswords
    var filled = self
    for name in Self.proxyNames where variables[name] != nil && variables[name] == cleared.variables[name] {
      filled.variables[name] = other.variables[name]
    }
    return filled
  }

  /// The value of a proxy's variable without its password, whose place stays. A value that names no proxy may have one anywhere: what
  /// stays names none either.
  private static func withoutPassword(_ text: String) -> String {
    guard ProxyServer(parsing: text) != nil else { return " " }
    let (url, rest) = withoutPassword(ofURL: text)
    // A password with a slash in it reads like the beginning of a path.
    return rest.contains("@") ? url : url + rest
  }

  /// A URL, or what may stand for one without its scheme, up to its path without its password, and the rest.
  private static func withoutPassword(ofURL text: String) -> (url: String, rest: String) {
    let start = text.range(of: "://")?.upperBound ?? text.startIndex
    let end = text[start...].firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? text.endIndex
    let rest = String(text[end...])
    guard let at = text[start..<end].lastIndex(of: "@"), let colon = text[start..<at].firstIndex(of: ":") else {
      return (String(text[..<end]), rest)
    }
    return (String(text[...colon] + text[at..<end]), rest)
  }

  /// A `connectionProxyDictionary`, as ``BackgroundValues`` has it, without passwords.
  package static func withoutPasswords(_ proxies: Data) -> Data {
    guard let dictionary = BackgroundValues.dictionary(proxies) else { return proxies }
    var cleared = dictionary
    var hasPassword = false
    for (name, value) in dictionary {
      guard let text = value as? String, !name.contains("JavaScript") else { continue }
      let (url, rest) = withoutPassword(ofURL: text)
      let shown = name.contains("Password") ? "" : url + rest
      cleared[name] = shown
      if shown != text { hasPassword = true }
    }
    // The same values may have other bytes.
    return hasPassword ? BackgroundValues.data(of: cleared) ?? Data() : proxies
  }
}

/// The environment that a session's loads go by in the place of their process's.
struct GivenEnvironment: URLProtocolSettings {
  var environment: LoadEnvironment?
}

extension URLSessionConfiguration {
  /// That of the program whose tasks are loaded by another process; nil for the process's own.
  package var loadEnvironment: LoadEnvironment? {
    get { self[GivenEnvironment.self].environment }
    set { self[GivenEnvironment.self].environment = newValue }
  }
}
