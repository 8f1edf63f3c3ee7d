import Foundation
import URLLoadingTestServers

/// A library that stands between a program and the disk, and counts what changes it; see `Tests/Fixtures/KillAtWrite`.
struct PreloadedDisk {
  /// The calls in front of which a kill is to come: every one, as `make kill-at-write` has it, or a sample of them. There is no last one.
  static func calls(every distance: Int) -> StrideThrough<Int> {
    let coversAll = ProcessInfo.processInfo.environment["URL_LOADING_EVERY_WRITE"] != nil
    return stride(from: 1, through: .max, by: coversAll ? 1 : distance)
  }

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

  func remove() { folder.remove() }
}
