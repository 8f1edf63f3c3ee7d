import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Dictionaries that are not as they have to be: the error names the key, and what would be right.
@Suite struct TransportSecurityErrorTests {
  private static let digest = Data(repeating: 1, count: 32).base64EncodedString()

  private static func exception(_ domain: String, _ key: String, _ value: Any) -> [String: Any] {
    ["NSExceptionDomains": [domain: [key: value]]]
  }

  private static func pin(_ value: Any) -> [String: Any] {
    ["NSPinnedDomains": ["example.org": ["NSPinnedLeafIdentities": value]]]
  }

  private static let insecure = "NSExceptionAllowsInsecureHTTPLoads"

  nonisolated(unsafe) private static let table: [(dictionary: [String: Any], words: [String])] = [
    // Keys.
    (["NSAllowsArbitraryLoad": true], ["NSAppTransportSecurity.NSAllowsArbitraryLoad:", "NSAllowsArbitraryLoads"]),
    (["nsallowsarbitraryloads": true], ["nsallowsarbitraryloads", "would be NSAllowsArbitraryLoads"]),
    (["NSAppTransportSecurity": [:]], ["NSAppTransportSecurity.NSAppTransportSecurity", "NSExceptionDomains"]),
    (
      exception("example.org", "NSTemporaryExceptionAllowsInsecureHTTPLoads", true),
      ["NSExceptionDomains.example.org.NSTemporaryException", "would be \(insecure)"]
    ),
    (
      exception("example.org", "NSThirdPartyExceptionMinimumTLSVersion", "TLSv1.0"),
      ["would be NSExceptionMinimumTLSVersion"]
    ),
    (exception("example.org", "NSRequiresCertificateTransparency", true), ["NSRequiresCertificateTransparency"]),
    // Types.
    (["NSAllowsArbitraryLoads": "YES"], ["NSAllowsArbitraryLoads: it is the string \"YES\"", "a Boolean"]),
    (["NSAllowsArbitraryLoadsForMedia": 2], ["NSAllowsArbitraryLoadsForMedia", "a Boolean"]),
    (["NSAllowsLocalNetworking": [true]], ["NSAllowsLocalNetworking: it is an array", "a Boolean"]),
    (["NSAllowsArbitraryLoads": Date()], ["NSAllowsArbitraryLoads", "a Boolean"]),
    (["NSExceptionDomains": ["example.org"]], ["NSExceptionDomains: it is an array", "a dictionary"]),
    (["NSExceptionDomains": ["example.org": true]], ["NSExceptionDomains.example.org", "a dictionary"]),
    (["NSExceptionDomains": [7: ["NSIncludesSubdomains": true]]], ["NSExceptionDomains", "a dictionary"]),
    (["NSPinnedDomains": "example.org"], ["NSPinnedDomains", "a dictionary"]),
    (exception("example.org", insecure, "true"), ["example.org.\(insecure)", "a Boolean"]),
    (exception("example.org", "NSIncludesSubdomains", [:]), ["NSIncludesSubdomains: it is a dictionary", "a Boolean"]),
    (exception("example.org", "NSExceptionMinimumTLSVersion", 1.2), ["NSExceptionMinimumTLSVersion", "a string"]),
    // Versions.
    (
      exception("example.org", "NSExceptionMinimumTLSVersion", "1.2"),
      ["\"1.2\"", "one of TLSv1.0, TLSv1.1, TLSv1.2, TLSv1.3"]
    ),
    (exception("example.org", "NSExceptionMinimumTLSVersion", "TLSv1.4"), ["\"TLSv1.4\""]),
    (exception("example.org", "NSExceptionMinimumTLSVersion", "tlsv1.2"), ["\"tlsv1.2\""]),
    // Domains.
    (exception("Example.org", insecure, true), ["\"Example.org\"", "\"example.org\", in lower case"]),
    (exception("*.example.org", insecure, true), ["\"*.example.org\"", "\"example.org\" with NSIncludesSubdomains"]),
    (exception("example.org:80", insecure, true), ["\"example.org\", without a port"]),
    (exception("http://example.org", insecure, true), ["without a scheme"]),
    (exception("[::1]", insecure, true), ["without brackets"]),
    (exception("example.org/a", insecure, true), ["neither a domain nor an address"]),
    (exception("10.0.0.0/33", insecure, true), ["10.0.0.0/33", "192.0.2.0/24"]),
    (exception("10.0.0.0/", insecure, true), ["10.0.0.0/"]),
    (exception("10.0.0.0/-1", insecure, true), ["10.0.0.0/-1"]),
    (exception("::/129", insecure, true), ["::/129"]), (exception("a b", insecure, true), ["\"a b\""]),
    (exception("bücher.example", insecure, true), ["\"xn--bcher-kva.example\""]),
    (exception("", insecure, true), ["\"\""]),
    // Pins.
    (
      ["NSPinnedDomains": ["example.org": [:]]],
      ["NSPinnedDomains.example.org: it pins nothing", "NSPinnedCAIdentities"]
    ),
    (pin([] as [Any]), ["NSPinnedLeafIdentities: it is empty"]),
    (pin("x"), ["NSPinnedLeafIdentities: it is the string", "an array of dictionaries"]),
    (pin(["x"]), ["NSPinnedLeafIdentities[0]: it is the string", "a dictionary"]),
    (pin([[:] as [String: Any]]), ["NSPinnedLeafIdentities[0]: it has no SPKI-SHA256-BASE64"]),
    (
      pin([["SPKI-SHA256-BASE64": digest], ["SPKI-SHA256-BASE64": "?"]]),
      ["[1].SPKI-SHA256-BASE64: it is \"?\"", "32 bytes"]
    ),
    (pin([["SPKI-SHA256-BASE64": "AAAA"]]), ["[0].SPKI-SHA256-BASE64", "32 bytes"]),
    (pin([["SPKI-SHA256-BASE64": Data(count: 32)]]), ["[0].SPKI-SHA256-BASE64", "a string"]),
    (pin([["SPKI-SHA1-BASE64": digest]]), ["SPKI-SHA1-BASE64", "SPKI-SHA256-BASE64"]),
    (
      ["NSPinnedDomains": ["example.org": ["NSPinnedLeafIdentity": []]]],
      ["NSPinnedLeafIdentity:", "NSPinnedLeafIdentities"]
    ),
  ]

  @Test(arguments: table.indices) func theErrorNamesTheKey(_ index: Int) throws {
    let (dictionary, words) = Self.table[index]
    let rules = AppTransportSecurity(dictionary)
    let error = try #require(rules.error, "\(dictionary)")
    #expect(error.code == .appTransportSecurityRequiresSecureConnection)
    for word in words + ["App Transport Security"] {
      #expect(error.localizedDescription.contains(word), "\(error.localizedDescription) lacks \(word)")
    }
    // Nothing that is judged is loaded, not even what a part that could be read allows.
    for url: URL in ["http://example.org/", "https://example.com/", "ftp://127.0.0.1/"] {
      #expect(rules.judgement(of: url).error(for: url)?.failingURL == url)
    }
    #expect(rules.judgement(of: "file:///etc/hosts") == .notJudged && rules.judgement(of: "data:,x") == .notJudged)
  }

  @Test func whatMeansNothingHereAndAsksForNothingIsRead() {
    #expect(
      AppTransportSecurity(Self.exception("example.org", "NSRequiresCertificateTransparency", false)).error == nil)
    #expect(AppTransportSecurity(["NSAllowsArbitraryLoads": NSNumber(value: true)]).error == nil)
    #expect(AppTransportSecurity(["NSExceptionDomains": [:] as [String: Any]]).error == nil)
  }

  // MARK: Random dictionaries

  private static let keys = [
    "NSAllowsArbitraryLoads", "NSAllowsArbitraryLoadsForMedia", "NSAllowsLocalNetworking", "NSExceptionDomains",
    "NSPinnedDomains", "NSIncludesSubdomains", insecure, "NSExceptionMinimumTLSVersion", "NSPinnedLeafIdentities",
    "NSPinnedCAIdentities", "SPKI-SHA256-BASE64", "example.org", "10.0.0.0/8", "::1", "*.org", "",
  ]

  private static func value(_ depth: Int, _ random: inout SeededGenerator) -> Any {
    switch Int.random(in: 0..<(depth > 3 ? 6 : 12), using: &random) {
    case 0...2: return Bool.random(using: &random)
    case 3: return Int.random(in: -1...2, using: &random)
    case 4: return ["TLSv1.2", "YES", digest, "", "\u{0}", "e\u{301}"].randomElement(using: &random) ?? ""
    case 5: return Data(count: 3)
    case 6: return (0..<Int.random(in: 0...2, using: &random)).map { _ in value(depth + 1, &random) }
    default: return dictionary(depth + 1, &random)
    }
  }

  private static func dictionary(_ depth: Int, _ random: inout SeededGenerator) -> [String: Any] {
    var result: [String: Any] = [:]
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let key = depth == 0 ? keys.prefix(5).randomElement(using: &random) : keys.randomElement(using: &random)
      result[key ?? ""] = value(depth, &random)
    }
    return result
  }

  /// None traps, and none that can be read allows more than it says.
  @Test func randomDictionaries() async throws {
    try await FuzzRounds.run(4000, sharedBy: 1) { random, seed in
      let dictionary = Self.dictionary(0, &random)
      let rules = AppTransportSecurity(dictionary)
      let judgement = rules.judgement(of: "http://unlisted.example/")
      guard rules.error == nil else {
        #expect(judgement.error(for: "http://unlisted.example/") != nil, "seed \(seed)")
        return
      }
      let narrows = ["NSAllowsArbitraryLoadsForMedia", "NSAllowsLocalNetworking"].contains { dictionary[$0] != nil }
      let isAllowed = dictionary["NSAllowsArbitraryLoads"] as? Bool == true && !narrows
      #expect((judgement == .allowed) == isAllowed, "seed \(seed): \(dictionary)")
    }
  }

  // MARK: Files

  private func rules(_ list: String?) throws -> AppTransportSecurity {
    let directory = try TemporaryDirectory("ats")
    let file = directory.file("Info.plist")
    if let list { try directory.write("Info.plist", list) }
    return AppTransportSecurity(infoPlist: file)
  }

  private static func list(_ contents: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">\(contents)</plist>
    """
  }

  @Test func aFileIsRead() throws {
    let rules = try rules(
      Self.list(
        """
        <dict><key>CFBundleName</key><string>x</string><key>NSAppTransportSecurity</key><dict>
        <key>NSAllowsLocalNetworking</key><true/>
        <key>NSExceptionDomains</key><dict><key>example.org</key><dict>
          <key>NSExceptionAllowsInsecureHTTPLoads</key><true/>
          <key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string></dict></dict>
        <key>NSPinnedDomains</key><dict><key>example.org</key><dict><key>NSPinnedCAIdentities</key><array><dict>
          <key>SPKI-SHA256-BASE64</key><string>\(Self.digest)</string></dict></array></dict></dict>
        </dict></dict>
        """))
    #expect(rules.error == nil && rules.judgement(of: "http://example.org/") == .allowed)
    #expect(rules.judgement(of: "http://localhost/") == .allowed)
    guard case .secure(let requirements) = rules.judgement(of: "https://example.org/") else {
      return #expect(Bool(false))
    }
    #expect(requirements.pins?.authorities.count == 1 && requirements.minimumTLSVersion == .TLSv13)
  }

  @Test func aFileWithoutTheKeyHasNoExceptions() throws {
    let rules = try rules(Self.list("<dict><key>CFBundleName</key><string>x</string></dict>"))
    #expect(rules.error == nil && rules.judgement(of: "http://localhost/").error(for: "http://localhost/") != nil)
  }

  @Test(arguments: [
    nil, "", "garbage", list("<array/>"), list("<dict><key>NSAppTransportSecurity</key><true/></dict>"),
  ])
  func aFileThatCannotBeReadIsAnError(_ text: String?) throws {
    let error = try #require(try rules(text).error)
    let description = error.localizedDescription
    #expect(description.contains("Info.plist") || description.contains("NSAppTransportSecurity"), "\(description)")
  }

  /// Without them its pins would be missing.
  @Test func rulesAreAsInvalidInTheTransferService() throws {
    func rulesInService(_ rules: AppTransportSecurity) throws -> AppTransportSecurity {
      let configuration = URLSessionConfiguration.background(withIdentifier: "rules")
      configuration.appTransportSecurity = rules
      let settings = try #require(configuration.snapshot.background)
      let description = BackgroundSessionDescription(settings, configuration)
      return try #require(URLSessionConfiguration.service(for: description, files: "/tmp").appTransportSecurity)
    }
    for rules in [AppTransportSecurity(["Misspelt": true]), .infoPlist] {
      #expect(try rulesInService(rules).error != nil)
    }
    let rules = try rulesInService(AppTransportSecurity(["NSAllowsLocalNetworking": true]))
    #expect(rules.error == nil && rules.judgement(of: "http://localhost/") == .allowed)
    #expect(rules.judgement(of: "http://example.org/") != .allowed)
  }

  /// There is no such file beside the program of the tests.
  @Test func theFileIsLookedForBesideTheExecutable() throws {
    #expect(AppTransportSecurity.infoPlist.error?.localizedDescription.contains("Info.plist") == true)
  }
}
