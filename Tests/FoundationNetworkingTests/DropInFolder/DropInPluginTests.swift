import Foundation
import Testing
import URLLoadingTestServers

/// The folder has the plugins' modules as well.
@Suite(.serialized, .disabled(if: Sanitizing.isOn)) struct DropInPluginTests {
  @Test func pluginsLoadWithBothSets() async throws {
    let folder = try await DropInFolder.shared
    let files = try TemporaryDirectory("plugins")
    try files.write("a.txt", "Hello")
    let archive = files.file("a.zip")
    try await Command.check("zip", ["-q", archive.path, "a.txt"], directory: files.url)
    let server = try await SSHServer.start()
    let home = try TemporaryDirectory("home")
    let key = try await SSHServer.clientKeys.ed25519.file.path
    try home.write(".ssh/known_hosts", server.knownHosts)
    try home.write(".ssh/config", "IdentityFile \"\(key)\"\n")
    chmod(home.file(".ssh/config").path, 0o600)

    for toolset in [folder.toolset, folder.staticToolset] {
      let client = try ClientPackage(copying: "Tests/Fixtures/DropInClient")
      try await client.check(build: ["--product", "Plugins"] + toolset)
      let urls = ["archive:\(archive.absoluteString)!/a.txt", server.url("\(files.path)/a.txt").absoluteString]
      let output = try await client.run(
        "Plugins", urls + [files.path],
        environment: ["CFFIXED_USER_HOME": home.path, "SSH_AUTH_SOCK": nil])
      #expect(output == "archive 5\nsftp 5\nchecks: true\n")
    }
  }
}
