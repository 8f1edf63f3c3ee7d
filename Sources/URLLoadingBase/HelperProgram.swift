import Foundation

/// A program of ours that another one of the user's starts. It is looked for at the path in an environment variable, else beside the running
/// program, else in the folders of `PATH`.
package struct HelperProgram: Sendable {
  /// The name of its executable.
  package let name: String
  /// The variable that may name another path.
  package let variable: String

  package init(name: String, variable: String) {
    self.name = name
    self.variable = variable
  }

  /// The paths to try, in their order. Where the variable is set, nothing else counts.
  /// - Parameters:
  ///   - environment: looks up a variable.
  ///   - executable: the path of the running program.
  package func candidates(environment: (String) -> String?, executable: String?) -> [String] {
    if let path = environment(variable), !path.isEmpty { return [path] }
    var folders: [String] = []
    if let executable, let slash = executable.lastIndex(of: "/") { folders.append(String(executable[..<slash])) }
    // The working directory is nobody's: relative folders do not count.
    folders += (environment("PATH") ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    return folders.map { "\($0)/\(name)" }
  }

  /// The first of them that can be run; nil for none.
  package func find() -> String? {
    let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return candidates(environment: ProcessEnvironment.value(of:), executable: executable)
      .first { access($0, X_OK) == 0 }
  }
}
