import Foundation
import Testing
import URLLoadingTestServers

/// The public declarations are those that `API` lists: a change of the interface is a change of these files.
@Suite(.disabled(if: Sanitizing.isOn)) struct PublicAPITests {
  @Test func declarationsAreThoseThatAreListed() async throws {
    let folder = try await DropInFolder.shared
    let found = try TemporaryDirectory("api")
    let script = PackageFolder.root.appendingPathComponent("Scripts/list-api").path
    try await Command.check(script, [folder.path, found.path], timeout: .seconds(300))
    let listed = PackageFolder.root.appendingPathComponent("API").path
    let difference = try await Command.run("diff", ["-u", listed, found.path])
    #expect(difference.status == .exited(0), "if this is meant: make api-check WRITE=1\n\(difference.text)")
  }
}
