import Foundation
import URLLoadingTestServers

/// A drop-in folder of this package, as `make drop-in` makes it.
struct DropInFolder: Sendable {
  /// The folder.
  let path: String

  /// The toolset for libraries that are loaded at run time.
  var toolset: [String] { ["--toolset", "\(path)/url-loading.json"] }

  /// The toolset for libraries in the program, and what a build with it has to say as well.
  var staticToolset: [String] { ["--static-swift-stdlib", "--toolset", "\(path)/url-loading-static.json"] }

  /// The one that all tests share.
  static var shared: DropInFolder {
    get async throws { try await folder.server }
  }

  /// Puts another one into a folder.
  static func make(in parent: String? = nil) async throws -> DropInFolder {
    let script = PackageFolder.root.appendingPathComponent("Scripts/install-drop-in").path
    let output = try await Command.check(script, parent.map { [$0] } ?? [], timeout: .seconds(1_200))
    return DropInFolder(path: String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines))
  }

  private static let folder = LazyServer { try await make() }
}
