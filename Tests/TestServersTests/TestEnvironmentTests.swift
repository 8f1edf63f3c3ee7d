import Foundation
import Testing
import URLLoadingTestServers

@Suite struct TestEnvironmentTests {
  @Test(arguments: ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"])
  func nothingOfTheUsersIsTouched(variable: String) async throws {
    let path = try #require(ProcessInfo.processInfo.environment[variable])
    #expect(path.hasPrefix(TestEnvironment.directory + "/") && path.contains("/url-loading-home-"))
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o700)
    let child = try await Command.check("/bin/sh", ["-c", "printf %s \"$\(variable)\""])
    #expect(String(decoding: child, as: UTF8.self) == path)
  }
}
