import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Certificates that are odd, damaged or dishonest are read as what they are, or not at all.
@Suite(.timeLimit(.minutes(8))) struct HostileCertificateTests {
  /// Asks a certificate for everything.
  /// - Returns: whether it was one.
  @discardableResult
  private static func examine(_ data: Data, evaluates: Bool = true) -> Bool {
    guard let certificate = SecCertificateCreateWithData(nil, data as CFData) else { return false }
    #expect(SecCertificateCopyData(certificate) as Data == data)
    #expect(certificate.fingerprint.count == 32)
    let texts = [certificate.subject, certificate.issuer, certificate.description, certificate.summary ?? ""]
    // No name with a zero byte in it, which other programs would read another way.
    #expect((certificate.dnsNames + certificate.addresses + texts).allSatisfy { !$0.utf8.contains(0) })
    if let from = certificate.notBefore, let to = certificate.notAfter { _ = from < to }
    #expect(certificate.serialNumber.count <= data.count)
    var name: CFString?
    #expect(SecCertificateCopyCommonName(certificate, &name) == errSecSuccess)
    if let key = SecCertificateCopyKey(certificate) {
      #expect(certificate.publicKeyHash?.count == 32)
      #expect(SecKeyCopyExternalRepresentation(key, nil).map { $0.length > 0 } == true)
      #expect(SecKeyCopyAttributes(key)?.count == 2 && SecKeyGetBlockSize(key) >= 0 && !key.description.isEmpty)
    }
    if evaluates { evaluate([certificate]) }
    return true
  }

  /// Evaluates a chain that nobody trusts by the system's roots, and one that leads to itself.
  private static func evaluate(_ chain: [SecCertificate]) {
    for host in ["localhost", "127.0.0.1"] {
      let trust = SecTrust(certificates: chain, policies: [SecPolicyCreateSSL(true, host as CFString)])
      var error: CFError?
      #expect(!SecTrustEvaluateWithError(trust, &error) && error?.localizedDescription.isEmpty == false)
      #expect(SecTrustCopyCertificateChain(trust)?.count ?? 0 > 0)
      SecTrustSetAnchorCertificates(trust, chain as CFArray)
      _ = SecTrustEvaluateWithError(trust, &error)
    }
  }

  @Test func everyOddCertificateIsExamined() async throws {
    let corpus = try await HostileCorpus.shared
    #expect(corpus.certificates.count > 45)
    for (name, data) in corpus.certificates {
      let isRead = Self.examine(data)
      if ["good", "negative serial", "10000 names", "1 MB", "unknown curve"].contains(name) {
        #expect(isRead, "\(name)")
      }
      if ["more behind", "half", "nothing", "no certificate", "2 MB", "length of 4 GiB"].contains(name) {
        #expect(!isRead, "\(name)")
      }
    }
  }

  @Test func whatIsReadOfOddCertificates() async throws {
    let corpus = try await HostileCorpus.shared
    let read: (String) throws -> SecCertificate = { name in
      try #require(corpus.certificates[name].flatMap { SecCertificate(data: $0) })
    }
    #expect(try read("10000 names").dnsNames.count == 10000)
    #expect(try read("names with zero in a name").dnsNames.isEmpty)
    #expect(try read("zero bytes for a name").dnsNames.isEmpty)
    #expect(try read("zero byte in common name").summary?.contains("g") != true)
    #expect(try read("names with an address of 5 bytes").addresses.isEmpty)
    #expect(try read("dates of month 13").notAfter == nil || (try read("dates of month 13").notBefore == nil))
    #expect(try read("dates of letters").notBefore == nil)
    #expect(try read("negative serial").serialNumber == Data([1]))
    let curve = try #require(SecCertificateCopyKey(try read("unknown curve")))
    #expect(SecKeyCopyExternalRepresentation(curve, nil)?.length == 65)
  }

  @Test func chainsWithoutEndAreEvaluated() async throws {
    let corpus = try await HostileCorpus.shared
    #expect(corpus.chains.count == 4)
    for (_, chain) in corpus.chains {
      Self.evaluate(chain.compactMap { SecCertificate(data: $0) })
      Self.evaluate(chain.reversed().compactMap { SecCertificate(data: $0) })
    }
  }

  @Test(arguments: ["good", "exponent 0", "names with other kinds", "features without end"])
  func flippedBitsAreHarmless(_ name: String) async throws {
    let good = try #require(try await HostileCorpus.shared.certificates[name])
    try await FuzzRounds.run(300, sharedBy: 8) { random, _ in
      var data = good
      for _ in 0...Int.random(in: 0..<3, using: &random) {
        data[Int.random(in: data.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      Self.examine(data, evaluates: Bool.random(using: &random))
    }
  }

  @Test func pieces() async throws {
    let good = try #require(try await HostileCorpus.shared.certificates["good"])
    for count in 0..<good.count { #expect(!Self.examine(good.prefix(count))) }
    for count in 1..<good.count { #expect(!Self.examine(good.suffix(count), evaluates: false) || count == good.count) }
  }

  /// Every byte that may be a length says something else.
  @Test func lengthsLie() async throws {
    let good = try #require(try await HostileCorpus.shared.certificates["good"])
    for index in good.indices {
      for length: UInt8 in [0, 1, 0x7F, 0x80, 0x81, 0x82, 0x84, 0x88, 0xFF] {
        var data = good
        data[index] = length
        Self.examine(data, evaluates: false)
      }
    }
  }

  @Test func textsInPEMForm() async throws {
    let corpus = try await HostileCorpus.shared
    var text = "preface\n"
    for (_, data) in corpus.certificates {
      text += "-----BEGIN CERTIFICATE-----\n\(data.base64EncodedString())\n-----END CERTIFICATE-----\n"
    }
    _ = SecCertificate.certificates(pem: Data(text.utf8))
    for (_, data) in corpus.certificates { #expect(SecCertificate.certificates(pem: data).isEmpty) }
    try await FuzzRounds.run(100, sharedBy: 8) { random, _ in
      var data = Data(text.utf8.prefix(4000))
      data[Int.random(in: data.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      _ = SecCertificate.certificates(pem: data)
    }
  }
}
