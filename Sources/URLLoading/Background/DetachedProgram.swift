internal import URLLoadingCLinux

/// A program that outlives this process.
package struct DetachedProgram {
  private let path: String
  private let arguments: [String]
  private let environment: [String: String]
  private let descriptorLimit: UInt64?

  /// - Parameters:
  ///   - path: absolute.
  ///   - environment: nil for this process's.
  ///   - descriptorLimit: how many descriptors it may have, if it does not ask for more; nil for as many as this process.
  package init(
    path: String, arguments: [String] = [], environment: [String: String]? = nil, descriptorLimit: UInt64? = nil
  ) {
    self.path = path
    self.arguments = arguments
    self.environment = environment ?? ProcessInfo.processInfo.environment
    self.descriptorLimit = descriptorLimit
  }

  /// - Returns: 0, or the error's number.
  package func start() -> Int32 {
    var process: Int32 = -1
    defer { if process >= 0 { close(process) } }
    return start(standardError: -1, process: &process)
  }

  /// - Parameters:
  ///   - standardError: a descriptor for what it says; -1 for none.
  ///   - process: becomes a descriptor that is readable when it has ended, the caller's; -1 where the kernel has none.
  /// - Returns: 0, or the error's number.
  func start(standardError: Int32, process: inout Int32) -> Int32 {
    var environment: [UnsafeMutablePointer<CChar>?] = self.environment.map { name, value in strdup("\(name)=\(value)") }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    environment.append(nil)
    words.append(nil)
    defer { for text in environment + words { free(text) } }
    return start_service(path, words, environment, standardError, descriptorLimit ?? 0, &process)
  }
}
