import Foundation
import Testing
import URLLoadingTestServers

/// `-C -` goes on by validators, whatever the scheme. The part is what the command itself has left: it fails where its file may not grow.
@Suite(.enabled(if: !Sanitizing.isOn), .timeLimit(.minutes(3))) struct ResumedSchemeTests {
  enum Scheme: String, CaseIterable, Sendable {
    case file, ftp, http, https, sftp, archive
  }

  private static let size = DocumentRoot.largeSize
  /// The user's home, for the keys of SSH.
  private let home: TemporaryDirectory
  private let folder: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory("urlload-home")
    folder = try TemporaryDirectory("urlload")
  }

  /// The URL of `large.bin`, and the options that it needs.
  private func place(_ scheme: Scheme) async throws -> [String] {
    let nginx = try await NginxServer.shared
    let file = nginx.documentRoot.appendingPathComponent("large.bin")
    switch scheme {
    case .file: return [file.absoluteString]
    case .http: return [nginx.url("/large.bin").absoluteString]
    case .https:
      let authority = try await TestCertificates.shared.authority.path
      return ["--cacert", authority, nginx.url("/large.bin", on: .https).absoluteString]
    case .ftp:
      let login = "\(FTPServer.user):\(FTPServer.password)"
      return ["-u", login, try await FTPServer.shared.url("/large.bin").absoluteString]
    case .sftp: return [try await remoteFile()]
    case .archive:
      let archive = home.file("x.zip")
      try await Command.check("zip", ["-q", archive.path, "large.bin"], directory: nginx.documentRoot)
      return ["archive:\(archive.absoluteString)!/large.bin"]
    }
  }

  /// A file in the home of an SSH server, which the command has the key and the name of.
  private func remoteFile() async throws -> String {
    let server = try await SSHServer.shared
    let key = try await SSHServer.clientKeys.ed25519.file.path
    try home.write(".ssh/known_hosts", server.knownHosts)
    try home.write(".ssh/config", "Host *\n  IdentityFile \"\(key)\"\n  IdentitiesOnly yes\n")
    chmod(home.file(".ssh/config").path, 0o600)
    let name = "resumed-\(UInt64.random(in: 0 ... .max))"
    try TestFiles.write(count: Self.size, to: server.home.appendingPathComponent(name))
    return server.url("/~/\(name)").absoluteString
  }

  @Test(arguments: Scheme.allCases) func thePartOfAFailedLoadIsGoneOnWith(_ scheme: Scheme) async throws {
    let arguments = try await ["-o", "a"] + place(scheme)
    let environment: [String: String?] = ["CFFIXED_USER_HOME": home.path, "SSH_AUTH_SOCK": nil]
    // The signal would end it before write can tell.
    let failed = try await Urlload.shell(
      "cd \"$1\"; shift; trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"", [folder.path] + arguments,
      environment: environment)
    #expect(failed.status == .exited(11), "\(failed.error)")
    #expect(try Urlload.names(in: folder) == ["a.part"], "\(failed.error)")

    let resumed = try await Urlload.run(["-v", "-C", "-"] + arguments, environment: environment, in: folder)
    #expect(resumed.status == .exited(0), "\(resumed.error)")
    #expect(!resumed.error.contains("restarts"), "\(resumed.error)")
    // The requests of an archive's own index have an end.
    let firstBytes = resumed.error.matches(of: /bytes=([0-9]+)-\s/).compactMap { Int($0.1) }
    #expect(firstBytes.contains { (50_000...102_400).contains($0) }, "\(resumed.error)")
    #expect(try TestFiles.firstDifference(in: folder.file("a"), count: Self.size) == nil)
    #expect(try Urlload.names(in: folder) == ["a"])
  }
}
