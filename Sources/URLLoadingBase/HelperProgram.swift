import Foundation

/// A program of ours that another one of the user's starts. It is looked for at the path in an environment variable, else beside the running
/// program, else in the folders of `PATH`. What is found there is run only where nobody but the user and root may have put it there.
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

  /// What looking for it has come to.
  package struct Finding: Equatable {
    /// The path to run; nil for none.
    package var path: String?
    /// Why the first that could be run, and is not, is not safe, in words; nil where there is none.
    package var refusal: String?
  }

  /// The first of them that can be run; nil for none.
  package func find() -> String? { look().path }

  /// Looks for it.
  package func look() -> Finding {
    let executable = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return look(environment: ProcessEnvironment.value(of:), executable: executable)
  }

  package func look(environment: (String) -> String?, executable: String?) -> Finding {
    let isNamed = environment(variable).map { !$0.isEmpty } ?? false
    var finding = Finding()
    for path in candidates(environment: environment, executable: executable) where access(path, X_OK) == 0 {
      // A path that the user names is his choice, as what loads libraries into this process would be.
      if isNamed { return Finding(path: path) }
      do throws(FileDistrust) {
        try FileTrust.check(path)
        finding.path = path
        return finding
      } catch {
        if finding.refusal == nil { finding.refusal = "\(path) \(error)" }
      }
    }
    return finding
  }
}
