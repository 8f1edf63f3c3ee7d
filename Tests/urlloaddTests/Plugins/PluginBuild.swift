import Foundation
import URLLoadingTestServers

/// `Samples/ServicePlugin`, and a service that is linked with the shared libraries of the same drop-in folder.
struct PluginBuild: Sendable {
  /// The path of the plugin.
  let plugin: String
  /// The path of the service.
  let service: String
  /// What both are in.
  private let client: ClientPackage
  private let folder: TemporaryDirectory

  /// The one that all tests share.
  static var shared: PluginBuild {
    get async throws { try await made.server }
  }

  /// A place for a service that has the plugin, named as its user would.
  /// - Parameters:
  ///   - preparation: a line of the shell that runs before each service; nil for none.
  ///   - mode: the permissions of the plugin.
  func fixture(preparation: String? = nil, plugin mode: mode_t = 0o700) throws -> BackgroundFixture {
    let fixture = try BackgroundFixture(service: service, preparation: preparation)
    let folder = fixture.directory.file("plugins")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    chmod(folder.path, 0o700)
    let copy = folder.appending(path: "vault.so").path
    try FileManager.default.copyItem(atPath: plugin, toPath: copy)
    chmod(copy, mode)
    try fixture.name(plugins: folder.path)
    return fixture
  }

  private static let made = LazyServer { try await make() }

  private static func make() async throws -> PluginBuild {
    let dropIn = try await DropInFolder.shared
    let folder = try TemporaryDirectory("service")
    let service = folder.file("urlloadd").path
    let script = PackageFolder.root.appendingPathComponent("Scripts/link-service").path
    try await Command.check(script, [dropIn.path, service], timeout: .seconds(1_200))
    let client = try ClientPackage(copying: "Samples/ServicePlugin")
    try await client.check(build: ["--product", "VaultPlugin"] + dropIn.toolset)
    return PluginBuild(
      plugin: client.program("libVaultPlugin.so"), service: service, client: client, folder: folder)
  }
}
