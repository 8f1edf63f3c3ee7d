import URLLoading

/// A class fails a check.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// The name of the check.
  public let check: String

  /// The URL that was loaded, if it was about one.
  public let url: URL?

  /// What is expected.
  public let expected: String

  /// What was seen instead.
  public let happened: String

  /// What the author should look at.
  public let advice: String

  /// All of it in one line.
  public var description: String {
    let place = url.map { " (\($0.redactedDescription))" } ?? ""
    return "\(check)\(place): expected \(expected), but \(happened). \(advice)"
  }
}
