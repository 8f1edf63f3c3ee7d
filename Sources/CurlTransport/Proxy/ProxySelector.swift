import Foundation
internal import URLLoadingBase

/// Decides which proxy a URL is loaded through.
package struct ProxySelector: Sendable, Equatable {
  /// The settings in effect, those of the environment included.
  package let settings: ProxySettings
  private let exceptions: HostExceptions
  /// Whether there is no proxy for any URL.
  let isDirect: Bool

  /// - Parameter environment: Looks up a variable; nil or empty when it is not set.
  package init(
    _ configuration: ProxyConfiguration,
    environment: (String) -> String? = ProcessEnvironment.value(of:)
  ) {
    switch configuration {
    case .direct: settings = ProxySettings()
    case .settings(let given): settings = given
    case .environment: settings = Self.settings(of: environment)
    }
    isDirect = settings.isEmpty
    exceptions = HostExceptions(settings.exceptions, excludesSimpleHostnames: settings.excludesSimpleHostnames)
  }

  /// The proxy for a URL, or nil for a direct connection.
  package func proxy(for url: String) -> ProxyServer? {
    guard !isDirect, let target = Target(url) else { return nil }
    let own =
      switch target.scheme {
      case "http": settings.http
      case "https": settings.https
      case "ftp": settings.ftp
      default: ProxyServer?.none
      }
    guard let proxy = own ?? settings.socks, !exceptions.contains(target.host, port: target.port) else { return nil }
    return proxy
  }

  /// Whether a host is on the list of those that are reached directly.
  package func isExcepted(_ url: String) -> Bool {
    Target(url).map { exceptions.contains($0.host, port: $0.port) } ?? false
  }

  /// Whether the environment configures proxies. HTTP_PROXY counts here: libproxy would use it, which a CGI program
  /// must not (see below).
  package static func hasVariables(_ environment: (String) -> String?) -> Bool {
    variables.contains { environment($0)?.isEmpty == false }
  }

  /// The variables that configure proxies.
  package static let variables = [
    "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY",
    "ALL_PROXY", "NO_PROXY",
  ]

  /// The variables that libcurl knows. HTTP_PROXY in upper case is ignored: in a CGI program it is the client's
  /// `Proxy` field (CVE-2016-5385).
  private static func settings(of environment: (String) -> String?) -> ProxySettings {
    func first(_ names: String...) -> (name: String, value: String)? {
      for name in names {
        if let value = environment(name), !value.isEmpty { return (name, value) }
      }
      return nil
    }
    func server(_ variable: (name: String, value: String)?) -> ProxyServer? {
      variable.map { ProxyServer(parsing: $0.value) ?? ProxyServer(malformedVariable: $0.name) }
    }
    let all = server(first("all_proxy", "ALL_PROXY"))
    var settings = ProxySettings()
    settings.http = server(first("http_proxy")) ?? all
    settings.https = server(first("https_proxy", "HTTPS_PROXY")) ?? all
    settings.ftp = server(first("ftp_proxy", "FTP_PROXY")) ?? all
    let none = first("no_proxy", "NO_PROXY")?.value ?? ""
    settings.exceptions = none.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    return settings
  }

  /// The parts of a URL that matter here.
  struct Target {
    private static let defaultPorts = ["http": 80, "https": 443, "ftp": 21]

    var scheme: String
    var host: String
    /// That of the URL, else that of its scheme; nil where nobody knows.
    var port: Int?

    init?(_ url: String) {
      guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      scheme = url[..<colon].lowercased()
      let afterScheme = url[url.index(after: colon)...]
      guard afterScheme.hasPrefix("//") else { return nil }
      var authority = afterScheme.dropFirst(2)
      if let end = authority.firstIndex(where: { $0 == "/" || $0 == "?" || $0 == "#" }) {
        authority = authority[..<end]
      }
      if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
      let isAddress = authority.first == "["
      let end: Character = isAddress ? "]" : ":"
      host = (isAddress ? authority.dropFirst() : authority).prefix { $0 != end }.lowercased()
      let rest = authority.drop { $0 != end }
      port = Int(rest.dropFirst(isAddress ? 2 : 1)) ?? Self.defaultPorts[scheme]
      if host.hasSuffix(".") { host.removeLast() }
      guard !host.isEmpty else { return nil }
    }
  }
}
