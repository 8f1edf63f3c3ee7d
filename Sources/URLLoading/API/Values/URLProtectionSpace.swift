// Safe to share: nothing changes after init.
/// A server or proxy that requires credentials, and its realm.
///
/// Spaces with equal properties are equal, so that they are the keys of credentials. Host names compare without regard
/// to case (RFC 9110 4.2.3).
open class URLProtectionSpace: NSObject, NSSecureCoding, NSCopying, ShadowableMembers, @unchecked Sendable {
  private let parts: Parts
  /// What the server has shown, or asks for; not in archives, and without a part in comparisons.
  private let handshake: Handshake

  /// What a challenge about a connection comes with.
  enum Handshake {
    case none
    case trust(SecTrust)
    case clientCertificate(authorities: [Data])
  }

  private struct Parts: Hashable {
    var host: String
    var port: Int
    var scheme: String?
    var proxyType: String?
    var realm: String?
    var authenticationMethod: String
  }

  /// A space on a server.
  ///
  /// - Parameters:
  ///   - host: the server's name or address.
  ///   - port: its port.
  ///   - protocol: the scheme, such as `NSURLProtectionSpaceHTTPS`.
  ///   - realm: what the server calls the space.
  ///   - authenticationMethod: such as `NSURLAuthenticationMethodHTTPBasic`; the default method if nil.
  public init(host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?) {
    parts = Parts(
      host: host, port: port, scheme: `protocol`, realm: realm,
      authenticationMethod: authenticationMethod ?? NSURLAuthenticationMethodDefault)
    handshake = .none
  }

  /// A space on a proxy.
  ///
  /// - Parameters:
  ///   - host: the proxy's name or address.
  ///   - port: its port.
  ///   - type: the kind of proxy, such as `NSURLProtectionSpaceHTTPProxy`.
  ///   - realm: what the proxy calls the space.
  ///   - authenticationMethod: such as `NSURLAuthenticationMethodHTTPBasic`; the default method if nil.
  public init(proxyHost host: String, port: Int, type: String?, realm: String?, authenticationMethod: String?) {
    parts = Parts(
      host: host, port: port, proxyType: type ?? "", realm: realm,
      authenticationMethod: authenticationMethod ?? NSURLAuthenticationMethodDefault)
    handshake = .none
  }

  /// A server or proxy whose connection is being made.
  init(host: String, port: Int, isProxy: Bool, scheme: String, method: String, handshake: Handshake) {
    parts = Parts(
      host: host, port: port, scheme: isProxy ? nil : scheme, proxyType: isProxy ? NSURLProtectionSpaceHTTPSProxy : nil,
      authenticationMethod: method)
    self.handshake = handshake
  }

  /// A space from an archive of another object; nil if it is damaged.
  init?(archived list: [String: Any]) {
    guard let host = list["host"] as? String, let port = list["port"] as? Int,
      let method = list["authenticationMethod"] as? String
    else { return nil }
    parts = Parts(
      host: host, port: port, scheme: list["protocol"] as? String, proxyType: list["proxyType"] as? String,
      realm: list["realm"] as? String, authenticationMethod: method)
    handshake = .none
  }

  /// Archives the space.
  open func encode(with coder: NSCoder) {
    PropertyListArchive.encode(archivedList, with: coder)
  }

  /// What archives hold.
  var archivedList: [String: Any] {
    var list: [String: Any] = [
      "host": parts.host, "port": parts.port, "authenticationMethod": parts.authenticationMethod,
    ]
    list["protocol"] = parts.scheme
    list["proxyType"] = parts.proxyType
    list["realm"] = parts.realm
    return list
  }

  /// Always true.
  open class var supportsSecureCoding: Bool { true }

  /// The space itself: it cannot change.
  open override func copy() -> Any { self }

  /// The space itself: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  private var key: Parts {
    var key = parts
    key.scheme = key.scheme?.lowercased()
    key.host = Self.comparable(key.host, of: key.scheme)
    return key
  }

  /// A host as it is told apart from others: without regard to case, but for the path of a Unix socket, which is its bytes.
  static func comparable(_ host: String, of scheme: String?) -> String {
    guard scheme?.lowercased().hasSuffix("+unix") == true else { return host.lowercased() }
    return host.utf8.map { String($0, radix: 16) }.joined(separator: " ")
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLProtectionSpace else { return false }
    return other === self || key == other.key
  }

  open override var hash: Int { key.hashValue }

  open override var description: String {
    "<\(type(of: self))> { host: \(host), port: \(port), "
      + (isProxy() ? "proxy type: \(proxyType ?? "nil")" : "protocol: \(self.protocol ?? "nil")")
      + ", realm: \(realm ?? "nil"), authentication method: \(authenticationMethod) }"
  }

  /// The name or address of the server or proxy.
  open var host: String { parts.host }

  /// The port of the server or proxy.
  open var port: Int { parts.port }

  /// The scheme of the server; nil for a proxy.
  open var `protocol`: String? { parts.scheme }

  /// The kind of proxy; nil for a server.
  open var proxyType: String? { parts.proxyType?.isEmpty == false ? parts.proxyType : nil }

  /// The server's or proxy's name of the space; nil without one, as in some `Basic` challenges, against RFC 7617,
  /// section 2.
  open var realm: String? { parts.realm }

  /// The authentication method, such as `NSURLAuthenticationMethodHTTPBasic`.
  open var authenticationMethod: String { parts.authenticationMethod }

  /// The authorities whose certificates of clients the server accepts, each as a name in DER; empty where it accepts any. Nil for
  /// every method but client certificates.
  open var distinguishedNames: [Data]? {
    if case .clientCertificate(let authorities) = handshake { authorities } else { nil }
  }

  /// The server's certificates, for the method `NSURLAuthenticationMethodServerTrust`; nil for every other.
  open var serverTrust: SecTrust? {
    if case .trust(let trust) = handshake { trust } else { nil }
  }

  /// Whether this is a space on a proxy.
  open override func isProxy() -> Bool { parts.proxyType != nil }

  /// Whether the password cannot be read on the way: the connection is encrypted, or the method does not send it.
  open var receivesCredentialSecurely: Bool {
    switch authenticationMethod {
    case NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
      NSURLAuthenticationMethodNegotiate:
      return true
    default:
      let secure = [NSURLProtectionSpaceHTTPS, "ftps", "sftp", "wss"]
      return self.protocol.map { secure.contains($0.lowercased()) } ?? false
    }
  }
}

extension ShadowableMembers where Self: URLProtectionSpace {
  // Not required of subclasses: FoundationNetworking's class has none.
  /// Reads an archived space; nil if it is damaged, and for a subclass.
  public init?(coder: NSCoder) {
    self.init(made: { PropertyListArchive.decode(from: coder).flatMap { URLProtectionSpace(archived: $0) } })
  }
}
