import Foundation

/// What a client is told on its command line: `CLIENT URL COUNT CONCURRENCY MODE [PATH]`.
public struct Work: Sendable {
  /// How the body is taken, or sent.
  public enum Mode: String, Sendable {
    /// Into memory, by async functions.
    case get
    /// Into memory, by a completion handler.
    case handler
    /// Piece by piece, counted and dropped.
    case sink
    /// Into a file.
    case file
    /// The file at the path is sent.
    case put
    /// Loads are begun that nobody answers; what they hold in memory is told.
    case idle
  }

  /// What is wrong with the command line.
  public struct Misuse: Error, CustomStringConvertible {
    /// For whoever called.
    public let description: String

    /// - Parameter description: what is wrong, and what would be right.
    public init(description: String) { self.description = description }
  }

  /// The URL. With more than one thing to load it may have `{}`, which stands for a number from 0 on.
  public let url: String
  /// How many loads.
  public let count: Int
  /// How many at once.
  public let concurrency: Int
  /// How.
  public let mode: Mode
  /// The file that is sent or made.
  public let path: String
  /// The connections that a host gets; as many as loads at once where it is not told.
  public let connections: Int

  /// Reads the command line.
  /// - Throws: ``Misuse``; what reading a file throws.
  public init(arguments: [String] = CommandLine.arguments) throws {
    guard arguments.count >= 5, let count = Int(arguments[2]), let concurrency = Int(arguments[3]), count > 0,
      concurrency > 0, let mode = Mode(rawValue: arguments[4])
    else {
      throw Misuse(description: "usage: \(arguments.first ?? "bench") URL COUNT CONCURRENCY MODE [PATH]")
    }
    // A `data:` URL of many megabytes is too long for a command line.
    url =
      arguments[1].hasPrefix("@")
      ? try String(contentsOfFile: String(arguments[1].dropFirst()), encoding: .utf8) : arguments[1]
    self.count = count
    self.concurrency = concurrency
    self.mode = mode
    path = arguments.count > 5 ? arguments[5] : ""
    connections = ProcessInfo.processInfo.environment["CONNECTIONS"].flatMap { Int($0) } ?? concurrency
  }

  /// The URL of a load.
  public func url(_ number: Int) throws -> URL {
    // A `data:` URL has none, and to look for words in many megabytes takes as much memory again.
    let text = url.utf8.contains(UInt8(ascii: "{")) ? url.replacingOccurrences(of: "{}", with: String(number)) : url
    guard let url = URL(string: text) else {
      throw Misuse(description: "not a URL")
    }
    return url
  }
}
