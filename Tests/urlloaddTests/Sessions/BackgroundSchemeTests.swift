import Foundation
import Testing
import URLLoadingTestServers

/// What the service loads besides HTTP: made by a program that ends at once, taken by the next one, with the service killed between them.
@Suite(.timeLimit(.minutes(5))) struct BackgroundSchemeTests {
  private let fixture: BackgroundFixture
  private static let body = TestFiles.pattern(count: 2_000_000, seed: 31)

  init() throws { fixture = try BackgroundFixture() }

  /// - Returns: what the program says that comes back.
  private func passOver(_ task: String) async throws -> [String] {
    try await fixture.leave("test", task)
    try await fixture.killService()
    let program = try fixture.program()
    #expect(try await program.says("ended 1"), "\(program.lines)")
    await program.kill()
    return program.all("ended")
  }

  private func isTaken() throws -> Bool {
    try TestFiles.firstDifference(in: fixture.taken.appending(path: "1"), count: Self.body.count, seed: 31) == nil
  }

  @Test func filesAreCopied() async throws {
    let file = fixture.directory.file("source.bin")
    try Self.body.write(to: file)
    #expect(try await passOver("download:\(file.absoluteString)") == ["1 0 0"])
    #expect(try isTaken())
    await fixture.stop()
  }

  /// A copy is a request like any other.
  @Test func filesAreCopiedByTheirVerb() async throws {
    let (file, target) = (fixture.directory.file("source.bin"), fixture.directory.file("target.bin"))
    try Self.body.write(to: file)
    #expect(try await passOver("copy:\(file.absoluteString),\(target.absoluteString)") == ["1 0 0"])
    #expect(try Data(contentsOf: target) == Self.body)
    await fixture.stop()
  }

  @Test func filesAreStored() async throws {
    let (file, target) = (fixture.directory.file("source.bin"), fixture.directory.file("target.bin"))
    try Self.body.write(to: file)
    #expect(try await passOver("upload:\(file.path),\(target.absoluteString)") == ["1 0 0"])
    #expect(try Data(contentsOf: target) == Self.body)
    await fixture.stop()
  }

  @Test func ftpInBothDirections() async throws {
    let server = try await FTPServer.start()
    let file = fixture.directory.file("source.bin")
    try Self.body.write(to: file)
    let url = server.url("/background.bin", user: FTPServer.user, password: FTPServer.password)
    #expect(try await passOver("upload:\(file.path),\(url)") == ["1 0 0"])
    #expect(try Data(contentsOf: server.documentRoot.appending(path: "background.bin")) == Self.body)
    try await fixture.leave("other", "download:\(url)")
    let program = try fixture.program("other")
    #expect(try await program.says("ended 1 0"), "\(program.lines)")
    #expect(try isTaken())
    await program.kill()
    await fixture.stop()
    await server.stop()
  }

  @Test func sftpInBothDirections() async throws {
    let server = try await SSHServer.shared
    let key = try await SSHServer.clientKeys.ed25519.file.path
    try fixture.directory.write(".ssh/known_hosts", server.knownHosts)
    try fixture.directory.write(".ssh/config", "Host *\n  IdentityFile \"\(key)\"\n  IdentitiesOnly yes\n")
    chmod(fixture.directory.file(".ssh/config").path, 0o600)
    let file = fixture.directory.file("source.bin")
    try Self.body.write(to: file)
    let name = "background-\(UInt64.random(in: 0 ... .max)).bin"
    let url = server.url("/~/\(name)")
    #expect(try await passOver("upload:\(file.path),\(url)") == ["1 0 0"])
    #expect(try Data(contentsOf: server.home.appending(path: name)) == Self.body)
    try await fixture.leave("other", "download:\(url)")
    let program = try fixture.program("other")
    #expect(try await program.says("ended 1 0"), "\(program.lines)")
    #expect(try isTaken())
    await program.kill()
    try await expectCopy(of: url, under: server.url("/~/copy of \(name)"))
    #expect(try Data(contentsOf: server.home.appending(path: "copy of \(name)")) == Self.body)
    await fixture.stop()
  }

  /// The server copies a file in the background, with its password in the URL where there is one.
  private func expectCopy(of source: URL, under target: URL) async throws {
    try await fixture.leave("copies", "copy:\(source.absoluteString),\(target.absoluteString)")
    let program = try fixture.program("copies")
    #expect(try await program.says("ended 1 0"), "\(program.lines)")
    await program.kill()
  }

  @Test func webDAVInBothDirections() async throws {
    let server = try await WebDAVServer.shared
    let file = fixture.directory.file("source.bin")
    try Self.body.write(to: file)
    let name = "background-\(UInt64.random(in: 0 ... .max)).bin"
    let url = server.url("/private/\(name)", login: "\(WebDAVServer.user):\(WebDAVServer.password)@")
    #expect(try await passOver("upload:\(file.path),\(url)") == ["1 0 0"])
    #expect(try server.contents("private/\(name)") == Self.body)
    try await fixture.leave("other", "download:\(url)")
    let program = try fixture.program("other")
    #expect(try await program.says("ended 1 0"), "\(program.lines)")
    #expect(try isTaken())
    await program.kill()
    try await expectCopy(of: url, under: server.url("/private/copy-of-\(name)"))
    #expect(try server.contents("private/copy-of-\(name)") == Self.body)
    await fixture.stop()
  }

  @Test func membersOfArchives() async throws {
    let folder = fixture.directory.file("packed")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.body.write(to: folder.appending(path: "member.bin"))
    let archive = fixture.directory.file("a.tar")
    let packed = try await Command.run("bsdtar", ["-cf", archive.path, "-C", folder.path, "member.bin"])
    #expect(packed.status == .exited(0), "\(packed.error)")
    #expect(try await passOver("download:archive:\(archive.absoluteString)!/member.bin") == ["1 0 0"])
    #expect(try isTaken())
    await fixture.stop()
  }
}
