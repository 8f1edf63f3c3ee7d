/// Why an archive cannot be written.
public struct HTTPArchiveError: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// The file.
  public let path: String
  /// In words.
  public let reason: String

  /// What cannot be done, and why.
  public var description: String { "Cannot write the HTTP archive \(path): \(reason)." }

  /// The same.
  public var errorDescription: String? { description }

  init(_ path: String, _ reason: String) {
    (self.path, self.reason) = (path, reason)
  }

  init(_ path: String, _ code: Int32) {
    self.init(path, String(cString: strerror(code)))
  }
}
