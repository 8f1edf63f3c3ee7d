import Foundation

/// The variables of this process's environment, one at a time: `ProcessInfo.environment` makes a dictionary of all.
package enum ProcessEnvironment {
  /// - Returns: Nil where the variable is not set.
  package static func value(of name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// - Returns: Nil where the variable is not set, or empty.
  package static func nonemptyValue(of name: String) -> String? { value(of: name).flatMap { $0.isEmpty ? nil : $0 } }
}
