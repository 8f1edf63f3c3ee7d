internal import URLLoadingCLinux

/// A program that outlives this process.
package struct DetachedProgram {
  private let path: String
  private let arguments: [String]

  /// - Parameter path: absolute.
  package init(path: String, arguments: [String] = []) {
    self.path = path
    self.arguments = arguments
  }

  /// - Returns: 0, or the error's number.
  package func start() -> Int32 {
    var environment: [UnsafeMutablePointer<CChar>?] = ProcessInfo.processInfo.environment.map { name, value in
      strdup("\(name)=\(value)")
    }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    environment.append(nil)
    words.append(nil)
    defer { for text in environment + words { free(text) } }
    return start_service(path, words, environment)
  }
}
