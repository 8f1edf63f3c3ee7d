import Foundation

/// What a WebSocket client is told on its command line: `CLIENT URL COUNT CONCURRENCY SIZE [MODE]`.
public struct EchoWork: Sendable {
  /// What is done with the connection.
  public enum Mode: String, Sendable {
    /// Messages are sent, and come back.
    case echo
    /// The same on the executor of the library's event loop.
    case loop
    /// So many connections are opened, and nothing is sent; what they hold in memory is told.
    case idle
    /// So many messages are received by a slow consumer.
    case slow
  }

  /// What is wrong with the command line, or with a server.
  public struct Misuse: Error, CustomStringConvertible {
    /// For whoever called.
    public let description: String

    /// - Parameter description: what is wrong.
    public init(description: String) { self.description = description }
  }

  /// How many messages, or connections.
  public let count: Int
  /// How many messages are on their way at once.
  public let concurrency: Int
  /// The bytes of a message.
  public let size: Int
  /// What is done.
  public let mode: Mode
  private let text: String

  /// Reads the command line.
  public init(arguments: [String] = CommandLine.arguments) throws {
    guard arguments.count >= 5, let count = Int(arguments[2]), let concurrency = Int(arguments[3]),
      let size = Int(arguments[4]), count > 0, concurrency > 0,
      let mode = Mode(rawValue: arguments.count > 5 ? arguments[5] : "echo")
    else {
      throw Misuse(description: "usage: \(arguments.first ?? "bench") URL COUNT CONCURRENCY SIZE [echo|loop|idle|slow]")
    }
    text = arguments[1]
    self.count = count
    self.concurrency = concurrency
    self.size = size
    self.mode = mode
  }

  /// The server's URL.
  public var url: URL {
    get throws {
      guard let url = URL(string: text) else { throw Misuse(description: "\(text) is no URL") }
      return url
    }
  }

  /// Does the work, and prints what it took.
  public func measure(client: String, _ body: () async throws -> Void) async throws {
    let start = ContinuousClock.now
    let cpu = ProcessFacts.cpuSeconds
    try await body()
    let wall = ContinuousClock.now - start
    tell(
      client,
      [
        "bytes": count * size, "wall": wall / .seconds(1), "cpu": ProcessFacts.cpuSeconds - cpu,
        "rss_kb": ProcessFacts.peakResidentKilobytes,
      ])
  }

  /// Prints by how much memory grew.
  public func report(client: String, grownKilobytes: Int) {
    tell(
      client,
      [
        "bytes": 0, "wall": 0.0, "cpu": ProcessFacts.cpuSeconds, "rss_kb": ProcessFacts.peakResidentKilobytes,
        "grown_kb": grownKilobytes,
      ])
  }

  private func tell(_ client: String, _ numbers: [String: any Sendable]) {
    var line = numbers
    line["client"] = client
    line["mode"] = mode.rawValue
    line["n"] = count
    line["c"] = concurrency
    let json = try? JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    print(String(decoding: json ?? Data(), as: UTF8.self))
    // What runs on needs not be waited for.
    fflush(nil)
  }
}
