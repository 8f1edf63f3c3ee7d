import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Files of identities that are damaged or dishonest have an error.
@Suite(.timeLimit(.minutes(8))) struct HostileIdentityTests {
  /// - Returns: the status, by every way to read such a file, which have to agree.
  @discardableResult
  private static func read(_ data: Data, _ passphrase: String = "secret") -> OSStatus {
    var items: CFArray?
    let options = [kSecImportExportPassphrase as String: passphrase] as CFDictionary
    let status = SecPKCS12Import(data as CFData, options, &items)
    if status == errSecSuccess {
      let entries = items as? [[String: Any]]
      #expect(entries?.allSatisfy { $0[kSecImportItemIdentity as String] is SecIdentity } == true)
    }
    return status
  }

  @Test func filesThatAskForYearsOfWorkAreRefused() async throws {
    let files = try await HostileCorpus.shared.identities
    for name in ["dear.p12", "dearer.p12", "dear mac.p12", "dearer mac.p12"] {
      #expect(Self.read(try #require(files[name])) == errSecDecode, "\(name)")
    }
    let pem = try #require(files["dear.pem"])
    let error = #expect(throws: SecurityError.self) { try SecIdentity(pem: pem, passphrase: "secret") }
    #expect(error?.status == errSecDecode && error?.reason.contains("iterations") == true)
  }

  @Test func filesThatAreWhatTheyAre() async throws {
    let files = try await HostileCorpus.shared.identities
    #expect(Self.read(try #require(files["good.p12"])) == errSecSuccess)
    #expect(Self.read(try #require(files["good.p12"]), "") == errSecAuthFailed)
    #expect(Self.read(try #require(files["good.p12"]), String(repeating: "x", count: 100_000)) == errSecAuthFailed)
    #expect(Self.read(try #require(files["good.p12"]), "sec\0ret") == errSecAuthFailed)
    #expect(Self.read(try #require(files["plain.p12"]), "") == errSecSuccess)
    let keyless = try #require(files["keyless.p12"])
    var items: CFArray?
    let options = [kSecImportExportPassphrase as String: "secret"] as CFDictionary
    #expect(SecPKCS12Import(keyless as CFData, options, &items) == errSecSuccess && items?.count == 0)
    let missing = #expect(throws: SecurityError.self) { try SecIdentity(pkcs12: keyless, passphrase: "secret") }
    #expect(missing?.status == errSecItemNotFound)
    let other = try #require(files["another's.pem"])
    let mixed = #expect(throws: SecurityError.self) { try SecIdentity(pem: other) }
    #expect(mixed?.status == errSecDecode)
    for (name, data) in files where name.hasSuffix(".pem") { #expect(Self.read(data) == errSecDecode) }
    for (name, data) in files where name.hasSuffix(".p12") {
      #expect(throws: SecurityError.self) { try SecIdentity(pem: data, passphrase: "secret") }
      _ = name
    }
    #expect(Self.read(Data()) == errSecDecode)
    #expect(Self.read(Data(count: 17 << 20)) == errSecDecode)
  }

  @Test(arguments: ["good.p12", "plain.p12", "keyless.p12"]) func damagedFilesHaveAnError(_ name: String) async throws {
    let good = try #require(try await HostileCorpus.shared.identities[name])
    for count in stride(from: 0, to: good.count, by: 13) { #expect(Self.read(good.prefix(count)) != errSecSuccess) }
    try await FuzzRounds.run(100, sharedBy: 8) { random, _ in
      var data = good
      data[Int.random(in: data.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      Self.read(data, name == "plain.p12" ? "" : "secret")
    }
  }

  /// What has no code of authentication may have been damaged by anybody.
  @Test func aFileWithoutACodeOfAuthenticationIsRefused() async throws {
    let folder = try TemporaryDirectory("pkcs12")
    let source = try await TLSCorpus.shared.file("alice.pem").path
    let arguments = ["pkcs12", "-export", "-in", source, "-out", folder.file("a.p12").path, "-passout", "pass:secret"]
    try await Command.check("openssl", arguments + ["-nomac"])
    #expect(Self.read(try Data(contentsOf: folder.file("a.p12"))) == errSecDecode)
  }

  @Test func damagedTextsHaveAnError() async throws {
    let good = try #require(try await HostileCorpus.shared.identities["good.pem"])
    _ = try SecIdentity(pem: good, passphrase: "secret")
    try await FuzzRounds.run(100, sharedBy: 8) { random, _ in
      var data = good
      data[Int.random(in: data.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      _ = try? SecIdentity(pem: data, passphrase: "secret")
      _ = try? SecIdentity(pem: data.prefix(Int.random(in: data.indices, using: &random)), passphrase: "secret")
    }
  }
}
