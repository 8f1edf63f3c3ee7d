import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingTestServers
import URLLoadingX509

/// The roots that connections are verified by, and when they are read.
@Suite(.timeLimit(.minutes(4))) struct KeptRootsTests {
  private let directory: TemporaryDirectory
  private let authority: String
  /// No server is of it.
  private let other: String

  init() async throws {
    directory = try TemporaryDirectory("roots")
    authority = try String(contentsOf: await TestCertificates.shared.authority, encoding: .utf8)
    other = try String(contentsOf: await TestCertificates.shared.selfSigned.certificate, encoding: .utf8)
  }

  private func engine(_ file: URL, folder: URL? = nil, looksAlways: Bool = false) -> TransferEngine {
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    (configuration.tls.caFile, configuration.tls.caDirectory) = (file.path, folder?.path)
    if looksAlways { configuration.tls.longestTrust = .zero }
    return TransferEngine(configuration: configuration)
  }

  private let judged = ConnectionSecurity(pool: ConnectionPoolKey())

  // MARK: Reading

  @Test func filesAreLookedAtOnceAMinute() throws {
    let file = try directory.write("ca.pem", other)
    let authorities = TrustedAuthorities(file: file.path, directory: nil)
    let start = MonotonicInstant.now
    func roots(after seconds: Int) throws -> RootStore {
      try authorities.roots(notOlderThan: .seconds(60), at: start.advanced(by: .seconds(seconds)))
    }
    let first = try roots(after: 0)
    try directory.write("ca.pem", other + authority)
    #expect(try roots(after: 59) === first)
    let second = try roots(after: 60)
    #expect(second.mark != first.mark)
    try FileManager.default.removeItem(at: file)
    #expect(try roots(after: 61) === second)
    let error = #expect(throws: TrustedAuthorities.Unreadable.self) { try roots(after: 120) }
    #expect(error?.path == file.path)
    // Nothing is kept of what could not be read.
    try directory.write("ca.pem", other)
    #expect(try roots(after: 121).mark == first.mark)
  }

  /// Not even those of the same size that are put into the place of the first in the same moment, as a file system has it.
  @Test func noChangeIsMissed() throws {
    let file = try directory.write("ca.pem", authority + other)
    let authorities = TrustedAuthorities(file: file.path, directory: nil)
    let first = try authorities.roots()
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data((other + other).prefix(authority.utf8.count + other.utf8.count).utf8))
    try handle.close()
    #expect((try? authorities.roots())?.mark != first.mark)
  }

  @Test func whatIsUnchangedIsReadOnce() throws {
    let authorities = TrustedAuthorities(
      file: "/etc/ssl/certs/ca-certificates.crt", directory: "/etc/ssl/certs:/nonexistent")
    let first = try authorities.roots()
    #expect(try authorities.roots() === first)
    // The other spelling is another entry, with the same contents.
    #expect(
      try TrustedAuthorities(file: "/etc/ssl/certs/../certs/ca-certificates.crt", directory: nil).roots() !== first)
  }

  // MARK: Connections

  /// With a folder libcurl reads the file for every connection, on the loop's thread.
  @Test func noConnectionReadsTheFileAnew() async throws {
    let server = try await ClosingServer.start()
    let folder = directory.file("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = try directory.write("ca.pem", authority)
    let engine = engine(file, folder: folder)
    #expect(try await engine.resumes(server.url(.v12)) == false)
    try directory.write("ca.pem", "this is no certificate")
    #expect(try await engine.resumes(server.url(.v12), judged) == false)
    #expect(try await engine.resumes(server.url(.v13)) == false)
    await server.stop()
  }

  @Test(arguments: ClosingServer.versions)
  func aRemovedAuthorityIsNotTrusted(_ version: TLSConfiguration.Version) async throws {
    let server = try await ClosingServer.start()
    let file = try directory.write("ca.pem", authority + other)
    let engine = engine(file, looksAlways: true)
    for expected in [false, true] { #expect(try await engine.resumes(server.url(version)) == expected) }
    try directory.write("ca.pem", other)
    for security in [nil, judged, nil] {
      var request = TransferRequest(url: server.url(version))
      request.security = security
      #expect(try await engine.run(request).failure?.urlErrorCode == .serverCertificateUntrusted)
    }
    try directory.write("ca.pem", authority)
    #expect(try await engine.resumes(server.url(version)) == false)
    await server.stop()
  }

  /// A folder's certificates are read when they are needed, and then stay in OpenSSL's store.
  @Test(arguments: ClosingServer.versions)
  func anAuthorityThatIsRemovedFromAFolderIsNotTrusted(_ version: TLSConfiguration.Version) async throws {
    let server = try await ClosingServer.start()
    let file = try directory.write("ca.pem", other)
    let member = try directory.write("folder/authority.pem", authority)
    let folder = member.deletingLastPathComponent()
    try await Command.check("openssl", ["rehash", folder.path])
    let engine = engine(file, folder: folder, looksAlways: true)
    for expected in [false, true] { #expect(try await engine.resumes(server.url(version)) == expected) }
    // The link by its hash stays, and leads nowhere.
    try FileManager.default.removeItem(at: member)
    let failure = try #require(try await engine.get(server.url(version)).failure)
    #expect(failure.urlErrorCode == .serverCertificateUntrusted)
    await server.stop()
  }

  /// Sessions of all engines are in one cache.
  @Test(arguments: ClosingServer.versions)
  func aSessionIsNotResumedByOtherRoots(_ version: TLSConfiguration.Version) async throws {
    let server = try await ClosingServer.start()
    let first = engine(try directory.write("first.pem", authority))
    let second = engine(try directory.write("second.pem", other))
    let third = engine(try directory.write("third.pem", authority + other))
    for expected in [false, true] { #expect(try await first.resumes(server.url(version)) == expected) }
    #expect(try await second.get(server.url(version)).failure?.urlErrorCode == .serverCertificateUntrusted)
    #expect(try await third.resumes(server.url(version)) == false)
    #expect(try await third.resumes(server.url(version)) == true)
    await server.stop()
  }

  @Test func aFileThatCannotBeReadIsNamed() async throws {
    let server = try await ClosingServer.start()
    for security in [nil, judged] {
      var request = TransferRequest(url: server.url(.v12))
      request.security = security
      let failure = try #require(try await engine(directory.file("none.pem")).run(request).failure)
      #expect(failure.urlErrorCode == .secureConnectionFailed && failure.curlCode == 77)
      #expect(failure.message.contains("certificate file: \(directory.file("none.pem").path)"), "\(failure.message)")
    }
    await server.stop()
  }
}
