import Foundation
import Testing

@testable import URLLoading

/// Which URL may be loaded under which dictionary, and what its connection has to fulfil.
@Suite struct TransportSecurityRulesTests {
  /// What is expected, in short.
  private enum Decision: Equatable {
    case notJudged, allowed, refused
    /// What every connection fulfils is enough.
    case open
    /// The oldest TLS version, and whether forward secrecy is required.
    case secure(String, Bool)
  }

  private static let strict = Decision.secure("1.2", true)

  nonisolated(unsafe) private static let table: [(dictionary: [String: Any], decisions: [(String, Decision)])] = [
    // No exceptions.
    (
      [:],
      [
        ("http://example.org/", .refused), ("HTTP://EXAMPLE.org/", .refused), ("https://example.org/", strict),
        ("http://127.0.0.1/", .refused), ("http://[::1]/", .refused), ("http://localhost/", .refused),
        ("http://printer.local/", .refused), ("https://127.0.0.1/", strict), ("https://printer.local/", strict),
        ("ftp://example.org/", .refused), ("ftps://example.org/", strict), ("ws://example.org/", .refused),
        ("wss://example.org/", strict), ("file:///etc/hosts", .notJudged), ("data:,x", .notJudged),
        ("sftp://example.org/", .notJudged), ("private:http://example.org", .notJudged), ("http:/a", .notJudged),
      ]
    ),
    // Arbitrary loads.
    (
      ["NSAllowsArbitraryLoads": true],
      [
        ("http://example.org/", .allowed), ("https://example.org/", .open), ("ftp://example.org/", .allowed),
        ("http://127.0.0.1/", .allowed),
      ]
    ),
    (["NSAllowsArbitraryLoads": false], [("http://example.org/", .refused), ("https://example.org/", strict)]),
    // Each of the next three has it ignored, whatever its value.
    (
      ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": true],
      [("http://example.org/", .refused), ("https://example.org/", strict)]
    ),
    (
      ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": false],
      [("http://example.org/", .refused), ("https://example.org/", strict)]
    ),
    (
      ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": false],
      [("http://example.org/", .refused), ("http://localhost/", .refused)]
    ),
    // Local networking: names without a dot, `.local`, addresses.
    (
      ["NSAllowsLocalNetworking": true],
      [
        ("http://localhost:8080/", .allowed), ("http://printer.local/", .allowed), ("http://a.b.local/", .allowed),
        ("http://PRINTER.LOCAL/", .allowed), ("http://127.0.0.1/", .allowed), ("http://8.8.8.8/", .allowed),
        ("http://[fe80::1]/", .allowed), ("https://localhost/", .open), ("https://10.0.0.1/", .open),
        ("http://example.org/", .refused), ("http://example.local.org/", .refused), ("http://nolocal/", .allowed),
        ("http://my.notlocal/", .refused), ("http://localhost.example.org/", .refused), ("http://127.1/", .refused),
        ("https://example.org/", strict), ("ftp://nas.local/", .allowed),
      ]
    ),
    // Exceptions, the domain alone.
    (
      ["NSExceptionDomains": ["example.org": ["NSExceptionAllowsInsecureHTTPLoads": true]]],
      [
        ("http://example.org/", .allowed), ("http://Example.ORG:8080/", .allowed), ("http://a.example.org/", .refused),
        ("http://badexample.org/", .refused), ("http://example.org.evil.net/", .refused), ("http://org/", .refused),
        ("http://example.org./", .refused), ("ftp://example.org/", .allowed), ("ws://example.org/", .allowed),
        // The exception from encryption is none from what encryption has to be.
        ("https://example.org/", strict),
      ]
    ),
    // With subdomains: one label more.
    (
      [
        "NSExceptionDomains": [
          "example.org": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true]
        ]
      ],
      [
        ("http://example.org/", .allowed), ("http://a.example.org/", .allowed), ("http://b.a.example.org/", .refused),
        ("http://badexample.org/", .refused),
      ]
    ),
    // The most specific one wins, in both directions.
    (
      [
        "NSAllowsArbitraryLoads": true,
        "NSExceptionDomains": [
          "example.org": ["NSIncludesSubdomains": true],
          "open.example.org": ["NSExceptionAllowsInsecureHTTPLoads": true],
          "open.org": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true],
          "closed.open.org": [:],
        ],
      ],
      [
        // An entry takes its domain out of what is allowed for all.
        ("http://example.org/", .refused), ("https://example.org/", strict), ("http://a.example.org/", .refused),
        ("http://open.example.org/", .allowed), ("http://closed.open.org/", .refused), ("http://a.open.org/", .allowed),
        ("http://elsewhere.org/", .allowed), ("https://elsewhere.org/", .open),
      ]
    ),
    // Versions and forward secrecy.
    (
      [
        "NSExceptionDomains": [
          "old.org": ["NSExceptionMinimumTLSVersion": "TLSv1.0", "NSExceptionRequiresForwardSecrecy": false],
          "new.org": ["NSExceptionMinimumTLSVersion": "TLSv1.3"],
          "middle.org": ["NSExceptionMinimumTLSVersion": "TLSv1.1"],
        ]
      ],
      [
        ("https://old.org/", .secure("1.0", false)), ("https://new.org/", .secure("1.3", true)),
        ("https://middle.org/", .secure("1.1", true)), ("https://other.org/", strict), ("http://old.org/", .refused),
      ]
    ),
    // Addresses and ranges: the narrowest wins, and a name is not its address.
    (
      [
        "NSExceptionDomains": [
          "192.168.0.0/16": ["NSExceptionAllowsInsecureHTTPLoads": true],
          "192.168.1.0/24": [:],
          "192.168.1.7": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "TLSv1.1"],
          "2001:db8::/33": ["NSExceptionAllowsInsecureHTTPLoads": true],
          "127.0.0.1": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true],
          "0.0.0.0/0": ["NSExceptionMinimumTLSVersion": "TLSv1.3"],
        ]
      ],
      [
        ("http://192.168.0.1/", .allowed), ("http://192.168.255.255/", .allowed), ("http://192.169.0.0/", .refused),
        ("http://192.168.1.1/", .refused), ("http://192.168.1.7/", .allowed),
        ("https://192.168.1.7/", .secure("1.1", true)),
        ("http://[2001:db8:7fff::1]/", .allowed), ("http://[2001:db8:8000::1]/", .refused),
        ("http://[2001:DB8::1]:80/", .allowed), ("http://127.0.0.1/", .allowed), ("http://a.127.0.0.1/", .refused),
        ("http://localhost/", .refused), ("https://8.8.8.8/", .secure("1.3", true)), ("https://[::1]/", strict),
        ("http://[::ffff:192.168.0.1]/", .refused),
      ]
    ),
  ]

  @Test(arguments: table.indices) func decisions(_ index: Int) throws {
    let (dictionary, decisions) = Self.table[index]
    let rules = AppTransportSecurity(dictionary)
    #expect(rules.error == nil)
    for (text, expected) in decisions {
      // What the platform takes for no URL never gets here.
      guard let url = URL(string: text) else { continue }
      #expect(Self.decision(rules.judgement(of: url)) == expected, "\(text) under \(dictionary)")
    }
  }

  private static func decision(_ judgement: TransportSecurityJudgement) -> Decision? {
    switch judgement {
    case .notJudged: return .notJudged
    case .allowed: return .allowed
    case .refused: return .refused
    case .invalid: return nil
    case .secure(let requirements):
      guard let version = requirements.minimumTLSVersion else { return requirements.isEmpty ? .open : nil }
      let names: [tls_protocol_version_t: String] = [.TLSv10: "1.0", .TLSv11: "1.1", .TLSv12: "1.2", .TLSv13: "1.3"]
      guard requirements.certificates == TransportSecurityRequirements.Certificates() else { return nil }
      return .secure(names[version] ?? "", requirements.requiresForwardSecrecy)
    }
  }

  private func requirements(_ url: URL, _ dictionary: [String: Any]) -> TransportSecurityRequirements? {
    guard case .secure(let requirements) = AppTransportSecurity(dictionary).judgement(of: url) else { return nil }
    return requirements
  }

  // MARK: Pins

  private static let digests = (1...3).map { Data(repeating: UInt8($0), count: 32) }

  private static func identities(_ digests: [Data]) -> [[String: Any]] {
    digests.map { ["SPKI-SHA256-BASE64": $0.base64EncodedString()] }
  }

  private static var pinned: [String: Any] {
    [
      "leaf.org": ["NSPinnedLeafIdentities": identities([digests[0], digests[1]])],
      "ca.org": ["NSPinnedCAIdentities": identities([digests[2]]), "NSIncludesSubdomains": true],
      "both.ca.org": [
        "NSPinnedCAIdentities": identities([digests[2]]), "NSPinnedLeafIdentities": identities([digests[0]]),
      ],
    ]
  }

  @Test func pinsAreThoseOfTheHost() {
    let dictionary: [String: Any] = ["NSPinnedDomains": Self.pinned]
    let leaf = PublicKeyPins(leaves: Set(Self.digests[0...1]))
    let authority = PublicKeyPins(authorities: [Self.digests[2]])
    #expect(requirements("https://leaf.org/", dictionary)?.pins == leaf)
    #expect(requirements("https://a.leaf.org/", dictionary)?.pins == nil)
    #expect(requirements("https://a.ca.org/", dictionary)?.pins == authority)
    #expect(requirements("https://b.a.ca.org/", dictionary)?.pins == nil)
    #expect(
      requirements("https://both.ca.org/", dictionary)?.pins
        == PublicKeyPins(leaves: [Self.digests[0]], authorities: [Self.digests[2]]))
    // A dot at the end is no way around them, and neither is the case.
    #expect(requirements("https://leaf.org./", dictionary)?.pins == leaf)
    #expect(requirements("https://LEAF.org/", dictionary)?.pins == leaf)
  }

  @Test func pinsHoldWhereEverythingElseIsAllowed() {
    let dictionary: [String: Any] = ["NSAllowsArbitraryLoads": true, "NSPinnedDomains": Self.pinned]
    let found = requirements("https://leaf.org/", dictionary)
    #expect(found?.pins != nil && found?.minimumTLSVersion == nil && found?.certificates == nil)
    guard case .refused(.pinned(_, "leaf.org")) = AppTransportSecurity(dictionary).judgement(of: "http://leaf.org/")
    else { return #expect(Bool(false)) }
    #expect(AppTransportSecurity(dictionary).judgement(of: "http://a.leaf.org/") == .allowed)
  }

  // MARK: Trust

  @Test func trustMayBeOverriddenWhereInsecureLoadsAreAllowed() {
    let open: [String: Any] = ["NSExceptionDomains": ["example.org": ["NSExceptionAllowsInsecureHTTPLoads": true]]]
    #expect(requirements("https://example.org/", open)?.allowsOverridingTrust == true)
    #expect(requirements("https://example.com/", open)?.allowsOverridingTrust == false)
    #expect(requirements("https://example.com/", ["NSAllowsArbitraryLoads": true])?.allowsOverridingTrust == true)
  }

  // MARK: Words

  @Test func wordsNameTheRuleAndTheDomain() throws {
    let dictionary: [String: Any] = ["NSExceptionDomains": ["example.org": ["NSIncludesSubdomains": true]]]
    let rules = AppTransportSecurity(dictionary)
    for (url, words) in [
      ("http://other.org/x", ["other.org", "NSExceptionDomains", "NSExceptionAllowsInsecureHTTPLoads", "https"]),
      ("http://a.example.org/", ["a.example.org", "\"example.org\"", "NSExceptionAllowsInsecureHTTPLoads"]),
      ("ftp://other.org/", ["plain ftp", "ftps"]),
    ] {
      let url = try #require(URL(string: url))
      let error = try #require(rules.judgement(of: url).error(for: url))
      #expect(error.code == .appTransportSecurityRequiresSecureConnection && error.code.rawValue == -1022)
      for word in words { #expect(error.localizedDescription.contains(word), "\(error.localizedDescription)") }
      #expect(error.failingURL == url)
    }
    let strict = try #require(requirements("https://example.org/", [:]))
    let violation = strict.violation(of: .minimumTLSVersion, found: "TLS 1.1", url: "https://example.org/")
    #expect(violation.code.rawValue == -1022)
    for word in ["example.org", "TLS 1.1", "NSExceptionMinimumTLSVersion"] {
      #expect(violation.localizedDescription.contains(word), "\(violation.localizedDescription)")
    }
  }
}
