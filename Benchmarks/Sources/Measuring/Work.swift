import Foundation

/// What a client is told on its command line, `CLIENT URL|@LIST COUNT CONCURRENCY MODE [PATH]`, and by the variables `CONNECTIONS`
/// and `POST`; `load-bench` has `CACHE` as well.
public struct Work: Sendable {
  /// How the body is taken, or sent.
  public enum Mode: String, Sendable {
    /// Into memory, by async functions.
    case get
    /// Into memory, by async functions that run on the executor of the library's event loop.
    case loop
    /// Into memory, by a completion handler.
    case handler
    /// By a delegate, piece by piece; counted and dropped.
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

  /// The URLs, in turn. One alone may have `{}`, which stands for a number from 0 on.
  public let urls: [String]
  /// How many loads.
  public let count: Int
  /// How many at once.
  public let concurrency: Int
  /// How.
  public let mode: Mode
  /// The file that is sent or made.
  public let path: String
  /// What each request sends by POST, as JSON.
  public let json: Data?
  /// The connections that a host gets; as many as loads at once where it is not told.
  public let connections: Int

  /// Reads the command line.
  /// - Throws: ``Misuse``; what reading a file throws.
  public init(arguments: [String] = CommandLine.arguments) throws {
    guard arguments.count >= 5, let count = Int(arguments[2]), let concurrency = Int(arguments[3]), count > 0,
      concurrency > 0, let mode = Mode(rawValue: arguments[4])
    else {
      throw Misuse(description: "usage: \(arguments.first ?? "bench") URL|@LIST COUNT CONCURRENCY MODE [PATH]")
    }
    urls = arguments[1].hasPrefix("@") ? try Self.lines(of: String(arguments[1].dropFirst())) : [arguments[1]]
    self.count = count
    self.concurrency = concurrency
    self.mode = mode
    path = arguments.count > 5 ? arguments[5] : ""
    let environment = ProcessInfo.processInfo.environment
    json = try environment["POST"].map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
    connections = environment["CONNECTIONS"].flatMap { Int($0) } ?? concurrency
  }

  private static func lines(of path: String) throws -> [String] {
    let lines = try String(contentsOfFile: path, encoding: .utf8).utf8.split(separator: UInt8(ascii: "\n"))
    if lines.isEmpty { throw Misuse(description: "\(path) has no URL") }
    // A line that is all of the text, such as a `data:` URL of many megabytes, is not copied.
    return lines.map { String(Substring($0)) }
  }

  /// The URL of a load.
  public func url(_ number: Int) throws -> URL {
    let line = urls[number % urls.count]
    // Lists have no `{}`. Nor has a `data:` URL, and searching many megabytes takes as much memory again.
    let isPattern = urls.count == 1 && line.utf8.contains(UInt8(ascii: "{"))
    let text = isPattern ? line.replacingOccurrences(of: "{}", with: String(number)) : line
    guard let url = URL(string: text) else {
      throw Misuse(description: "not a URL")
    }
    return url
  }

  /// The value of the field `X-Request-ID` of a load's request, another one for each; nil where all load one URL.
  public func requestID(_ number: Int) -> String? { urls.count > 1 ? String(number) : nil }
}
