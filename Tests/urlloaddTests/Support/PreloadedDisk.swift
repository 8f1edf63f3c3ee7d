import Foundation
import URLLoadingTestServers

/// A library that stands between a program and the disk, and counts what changes it; see `Tests/Fixtures/KillAtWrite`.
struct PreloadedDisk {
  /// Whether a kill is to come in front of every call, as `make kill-at-write` has it, and not of a sample of them.
  static var coversAll: Bool { ProcessInfo.processInfo.environment["URL_LOADING_EVERY_WRITE"] != nil }

  private let folder: TemporaryDirectory
  /// The path of the library.
  let library: String

  /// Compiles the library.
  init() async throws {
    folder = try TemporaryDirectory("kill-at-write")
    library = folder.file("kill_at_write.so").path
    let fixtures = PackageFolder.root.appending(path: "Tests/Fixtures/KillAtWrite")
    let sources = ["calls.c", "kill_at_write.c", "synced_copies.c"].map { fixtures.appending(path: $0).path }
    try await Command.check("clang", ["-shared", "-fPIC", "-O1", "-o", library] + sources + ["-ldl"])
  }

  /// The path of a service that has the library.
  /// - Parameters:
  ///   - variables: that it has besides.
  ///   - preparation: a line of the shell that runs before.
  func service(_ name: String = "urlloadd", variables: [String: String] = [:], preparation: String = ":") throws
    -> String
  {
    try ProgramStarter(
      name, in: folder, variables: variables.merging(["LD_PRELOAD": library]) { $1 }, preparation: preparation
    ).path
  }

  func remove() { folder.remove() }
}
