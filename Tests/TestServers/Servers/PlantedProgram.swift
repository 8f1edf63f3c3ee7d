import Foundation
import Glibc

/// A program of the user's, and a helper program that others may have put where it looks for one. The planted one leaves a mark, and
/// becomes the real one then.
package struct PlantedProgram {
  package enum Place: CaseIterable, Sendable {
    case besideTheProgram, inPath
  }

  /// A place for other files, the mark's too.
  package let directory: TemporaryDirectory
  /// The path of the user's program.
  package let program: String
  /// The path of the planted one.
  package let path: String

  /// - Parameters:
  ///   - name: of the helper, a program that was built with the tests.
  ///   - program: the path of the user's program, of which a copy is made.
  package init(_ name: String, in place: Place, for program: String) async throws {
    directory = try TemporaryDirectory("planted")
    let (programs, searched) = (directory.file("programs"), directory.file("searched"))
    for folder in [programs, searched] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      chmod(folder.path, 0o755)
    }
    self.program = programs.appending(path: "program").path
    try await BuiltProgram.copy(program, to: self.program)
    path = (place == .besideTheProgram ? programs : searched).appending(path: name).path
    let text = "#!/bin/sh\n: >'\(directory.file("mark").path)'\nexec '\(BuiltProgram.path(name))' \"$@\"\n"
    try Data(text.utf8).write(to: URL(filePath: path))
    chmod(path, 0o755)
    chmod(folder, 0o1777)
    // The superuser alone can give files away.
    if geteuid() == 0 { for path in [path, folder] { chown(path, 65_534, 65_534) } }
  }

  /// The variables of the user's program: none names a helper.
  package var environment: [String: String?] {
    [
      "PATH": "\(directory.file("searched").path):/usr/bin:/bin", "URLLOADD": nil, "URL_LOADING_PAC_HELPER": nil,
    ]
  }

  /// Whether it was run.
  package var hasRun: Bool { access(directory.file("mark").path, F_OK) == 0 }

  /// Makes it the user's own, in a folder where nobody else may write.
  package func makeSafe() {
    for path in [path, folder] { chown(path, geteuid(), getegid()) }
    chmod(folder, 0o755)
  }

  private var folder: String { URL(filePath: path).deletingLastPathComponent().path }
}
