import Foundation
import URLLoadingTestServers

/// A script of the shell that becomes a program: the service, unless told otherwise.
struct ProgramStarter {
  /// What the shell does for a service that outlives the limit on the size of its files (setrlimit(2), `SIGXFSZ`): writes fail, as on a
  /// disk without room.
  static let outlivesFileLimit = "trap '' XFSZ"

  /// The path of the script, which is there as long as its directory.
  let path: String

  /// - Parameters:
  ///   - name: of the script's file.
  ///   - arguments: in front of those that the script is given.
  ///   - variables: that the program has and the shell has not.
  ///   - preparation: a line of the shell that runs before.
  init(
    _ name: String = "start.sh", in directory: TemporaryDirectory, program: String = BuiltProgram.path("urlloadd"),
    arguments: [String] = [], variables: [String: String] = [:], preparation: String = ":"
  ) throws {
    let settings = variables.map { "\($0)=\(Self.quoted($1))" }
    let words = settings + ["exec"] + ([program] + arguments).map { Self.quoted($0) } + ["\"$@\""]
    path = try directory.writeScript(name, "\(preparation)\n\(words.joined(separator: " "))").path
  }

  /// The service on a disk that is full as long as a file is there. A limit on the size of files stands for that: writes fail in the middle
  /// of a piece.
  init(in directory: TemporaryDirectory, fullWhile sign: URL) throws {
    let test = "[ -e \(Self.quoted(sign.path)) ]"
    try self.init(
      in: directory, preparation: "if \(test); then \(Self.outlivesFileLimit); ulimit -f 2000; fi")
  }

  /// A text as one word of the shell.
  static func quoted(_ text: String) -> String { "'\(text.replacingOccurrences(of: "'", with: "'\\''"))'" }
}
