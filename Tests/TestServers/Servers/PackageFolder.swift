import Foundation

/// Places inside the package's checkout.
package enum PackageFolder {
  /// The package's root.
  package static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The Python interpreter of the virtual environment that `Scripts/install-test-dependencies` makes.
  package static var python: String {
    get throws {
      let path = root.appendingPathComponent(".build/test-venv/bin/python").path
      guard FileManager.default.isExecutableFile(atPath: path) else {
        throw TestServerError("there is no \(path): run Scripts/install-test-dependencies")
      }
      return path
    }
  }

  /// A script beside the test servers.
  static func script(_ name: String) -> String {
    root.appendingPathComponent("Tests/TestServers/Scripts/\(name)").path
  }
}
