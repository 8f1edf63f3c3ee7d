import Foundation

/// A drop-in folder of this package, as `make drop-in` makes it.
package struct DropInFolder: Sendable {
  /// The folder.
  package let path: String

  /// The toolset for libraries that are loaded at run time.
  package var toolset: [String] { ["--toolset", "\(path)/url-loading.json"] }

  /// The toolset for libraries in the program, and what a build with it has to say as well.
  package var staticToolset: [String] { ["--static-swift-stdlib", "--toolset", "\(path)/url-loading-static.json"] }

  /// The one that all tests share.
  package static var shared: DropInFolder {
    get async throws { try await folder.server }
  }

  /// Puts another one into a folder.
  package static func make(in parent: String? = nil) async throws -> DropInFolder {
    let script = PackageFolder.root.appendingPathComponent("Scripts/install-drop-in").path
    let output = try await Command.check(script, parent.map { [$0] } ?? [], timeout: .seconds(1_200))
    return DropInFolder(path: String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines))
  }

  private static let folder = LazyServer { try await make() }
}
