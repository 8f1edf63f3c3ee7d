import Foundation
import Testing
import URLLoadingTestServers

/// Where the socket is for users without `XDG_RUNTIME_DIR`.
@Suite(.timeLimit(.minutes(3))) struct RuntimeDirectoryTests {
  private let fixture: BackgroundFixture
  /// The folder of this user in the temporary directory.
  private let folder: URL

  init() throws {
    fixture = try BackgroundFixture()
    folder = fixture.directory.file("url-loading-\(geteuid())")
  }

  /// Relative paths are ignored, as the XDG Base Directory Specification has it.
  @Test(arguments: [nil, "", "run"] as [String?])
  func aFolderOfTheTemporaryDirectoryIsTheUsersAlone(_ variable: String?) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let program = try fixture.program(
      "test", "download:\(server.url("/a"))", environment: ["XDG_RUNTIME_DIR": variable])
    #expect(try await program.says("ended 1 0 200"), "\(program.lines)")
    let made = try #require(status(of: folder))
    #expect(made.st_mode & S_IFMT == S_IFDIR && made.st_mode & 0o777 == 0o700 && made.st_uid == geteuid())
    let socket = try #require(status(of: folder.appending(path: "urlloadd.socket")))
    #expect(socket.st_mode & S_IFMT == S_IFSOCK && socket.st_mode & 0o077 == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.directory.file("run").path).isEmpty)
    await program.kill()
    await fixture.stop()
  }

  /// Anybody may have put something there before.
  @Test(arguments: ["link", "open", "file"]) func anotherThingInItsPlaceIsRefused(_ kind: String) async throws {
    let mine = fixture.directory.file("mine")
    let manager = FileManager.default
    switch kind {
    case "link":
      try manager.createDirectory(
        at: mine, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try manager.createSymbolicLink(at: folder, withDestinationURL: mine)
    case "open":
      try manager.createDirectory(at: folder, withIntermediateDirectories: false)
      chmod(folder.path, 0o710)
    default:
      try Data().write(to: folder)
      chmod(folder.path, 0o700)
    }
    let program = try fixture.program(
      "test", "download:http://127.0.0.1:9/", environment: ["XDG_RUNTIME_DIR": nil])
    #expect(try await program.says("ended 1 -997"), "\(program.lines)")
    #expect(program.lines.contains { $0.contains(folder.path) && $0.contains("mode 0700") }, "\(program.lines)")
    #expect(fixture.service == nil)
    if kind == "link" { #expect(try manager.contentsOfDirectory(atPath: mine.path).isEmpty) }
    await program.kill()
    await fixture.stop()
  }

  private func status(of file: URL) -> stat? {
    var status = stat()
    return lstat(file.path, &status) == 0 ? status : nil
  }
}
