import Foundation

/// The arguments of the command: those of the user's file, of the files of `-K`, and of the command line, which goes last.
struct CommandArguments {
  let all: [String]

  /// - Parameter typed: those of the command line. A first `-q` or `--disable` leaves the user's file out.
  init(_ typed: [String], userFile: @autoclosure () -> String? = ConfigurationFile.ofUser()) throws(Failure) {
    let ignoresFile = typed.first == "-q" || typed.first == "--disable"
    let line = ArgumentExpander(ignoresFile ? Array(typed.dropFirst()) : typed)
    var result: [String] = []
    if !ignoresFile, let file = userFile() {
      result += ArgumentExpander(try ConfigurationFile.arguments(in: file)).expanded
    }
    for file in line.configurationFiles {
      result += ArgumentExpander(try ConfigurationFile.arguments(in: file)).expanded
    }
    all = result + line.expanded
  }
}
