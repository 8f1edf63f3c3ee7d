import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

@Suite struct ListenerTests {
  /// The umask would leave others the right to read it, and to connect where it is 0.
  @Test func onlyItsUserMayConnect() throws {
    let folder = try TemporaryDirectory("listener")
    let place = BackgroundServicePlace(
      environment: ["XDG_RUNTIME_DIR": folder.path], user: geteuid(), temporaryDirectory: folder.path)
    let listener = try Listener(at: place)
    let attributes = try FileManager.default.attributesOfItem(atPath: place.socketPath)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    withExtendedLifetime(listener) {}
  }
}
