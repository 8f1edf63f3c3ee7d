/// The rules of a dictionary of App Transport Security. A value without I/O.
struct TransportSecurityRules: Sendable {
  /// The key that they have in an `Info.plist`.
  static let name = "NSAppTransportSecurity"

  /// How a URL is loaded, as far as it is judged.
  enum Kind { case plain, encrypted }

  /// What differs for one domain.
  struct Exception: Sendable {
    var allowsInsecureLoads = false
    var minimumTLSVersion = tls_protocol_version_t.TLSv12
    var requiresForwardSecrecy = true
  }

  private let allowsArbitraryLoads: Bool
  private let allowsLocalNetworking: Bool
  private let exceptions: TransportSecurityDomains<Exception>
  private let pins: TransportSecurityDomains<PublicKeyPins>

  /// Reads a dictionary.
  /// - Throws: what is not as it has to be.
  init(_ dictionary: Any) throws(TransportSecurityError) {
    let table = try TransportSecurityTable(dictionary, at: Self.name)
    // What has the first one ignored, whatever their values are.
    let narrower = ["NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent", "NSAllowsLocalNetworking"]
    try table.allow(["NSAllowsArbitraryLoads"] + narrower + ["NSExceptionDomains", "NSPinnedDomains"])
    for key in narrower { _ = try table.boolean(key) }
    let allowsAll = try table.boolean("NSAllowsArbitraryLoads") ?? false
    allowsArbitraryLoads = allowsAll && !narrower.contains { table.has($0) }
    allowsLocalNetworking = try table.boolean("NSAllowsLocalNetworking") ?? false
    if let domains = try table.table("NSExceptionDomains") {
      exceptions = try TransportSecurityDomains(domains) { table throws(TransportSecurityError) in try Exception(table)
      }
    } else {
      exceptions = TransportSecurityDomains()
    }
    if let domains = try table.table("NSPinnedDomains") {
      pins = try TransportSecurityDomains(domains) { table throws(TransportSecurityError) in try PublicKeyPins(table) }
    } else {
      pins = TransportSecurityDomains()
    }
  }

  /// How a URL is loaded; nil for schemes that are not judged.
  static func kind(of url: URL) -> Kind? {
    switch url.scheme?.lowercased() {
    case "http", "ws", "ftp": .plain
    case "https", "wss", "ftps": .encrypted
    default: nil
    }
  }

  /// What the rules say about the loads of a URL.
  func judgement(of url: URL) -> TransportSecurityJudgement {
    // What has no host is loaded by nobody.
    guard let kind = Self.kind(of: url), let host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty else {
      return .notJudged
    }
    let exception = exceptions.entry(for: host)
    // Of a domain that has an entry the entry alone says what is allowed.
    let isExempt = exception == nil && (allowsArbitraryLoads || allowsLocalNetworking && Self.isLocal(host))
    // A dot at its end is no way around the pins of a name.
    let pinned = pins.entry(for: host) ?? (host.hasSuffix(".") ? pins.entry(for: String(host.dropLast())) : nil)
    switch kind {
    case .plain:
      if let exception {
        guard !exception.value.allowsInsecureLoads else { return .allowed }
        return .refused(.exception(host: host, domain: exception.domain))
      }
      guard isExempt else { return .refused(.noException(host: host)) }
      return pinned.map { .refused(.pinned(host: host, domain: $0.domain)) } ?? .allowed
    case .encrypted:
      var requirements = TransportSecurityRequirements(host: host, pins: pinned?.value)
      guard !isExempt else { return .secure(requirements) }
      let rules = exception?.value ?? Exception()
      requirements.minimumTLSVersion = rules.minimumTLSVersion
      requirements.requiresForwardSecrecy = rules.requiresForwardSecrecy
      requirements.certificates = TransportSecurityRequirements.Certificates()
      requirements.allowsOverridingTrust = rules.allowsInsecureLoads
      return .secure(requirements)
    }
  }

  /// Names without a dot, names of multicast DNS (RFC 6762), and addresses, as Apple's documentation of `NSAllowsLocalNetworking` has it.
  private static func isLocal(_ host: String) -> Bool {
    !host.utf8.contains(UInt8(ascii: ".")) || host.hasSuffix(".local") || IPAddressRange.bytes(of: host) != nil
  }
}

extension TransportSecurityRules.Exception {
  private static let transparency = "NSRequiresCertificateTransparency"
  private static let versions: [String: tls_protocol_version_t] = [
    "TLSv1.0": .TLSv10, "TLSv1.1": .TLSv11, "TLSv1.2": .TLSv12, "TLSv1.3": .TLSv13,
  ]

  /// Reads what is said of a domain.
  init(_ table: TransportSecurityTable) throws(TransportSecurityError) {
    try table.allow([
      "NSIncludesSubdomains", "NSExceptionAllowsInsecureHTTPLoads", "NSExceptionMinimumTLSVersion",
      "NSExceptionRequiresForwardSecrecy", Self.transparency,
    ])
    allowsInsecureLoads = try table.boolean("NSExceptionAllowsInsecureHTTPLoads") ?? false
    requiresForwardSecrecy = try table.boolean("NSExceptionRequiresForwardSecrecy") ?? true
    if let text = try table.string("NSExceptionMinimumTLSVersion") {
      guard let version = Self.versions[text] else {
        throw TransportSecurityError(
          path: table.path(of: "NSExceptionMinimumTLSVersion"), problem: "it is \"\(text.prefix(40))\"",
          remedy: "one of \(Self.versions.keys.sorted().joined(separator: ", "))")
      }
      minimumTLSVersion = version
    }
    // A key of earlier systems. What it asks for is not done here.
    guard try table.boolean(Self.transparency) != true else {
      throw TransportSecurityError(
        path: table.path(of: Self.transparency), problem: "certificate transparency is not verified",
        remedy: "no such key")
    }
  }
}
