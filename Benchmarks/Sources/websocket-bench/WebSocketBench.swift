import Measuring
import URLLoading

/// Sends messages on one WebSocket connection, so many at once, and waits for each to come back.
@main
struct WebSocketBench {
  static func main() {
    Program.run {
      let work = try EchoWork()
      let configuration = URLSessionConfiguration.ephemeral
      configuration.webSocket.compressesMessages = false
      let session = URLSession(configuration: configuration)
      switch work.mode {
      case .echo: try await echo(work, session)
      case .loop:
        try await withTaskExecutorPreference(URLSession.loadingExecutor) { try await echo(work, session) }
      case .idle: try await openIdle(work, session)
      case .slow: try await consumeSlowly(work, session)
      }
    }
  }

  private static func echo(_ work: EchoWork, _ session: URLSession) async throws {
    let task = session.webSocketTask(with: try work.url)
    task.maximumMessageSize = work.size
    task.resume()
    try await task.sendPing()
    let message = Data(repeating: 0x61, count: work.size)
    try await work.measure(client: "URLLoading") {
      guard work.concurrency > 1 else { return try await converse(task, message, count: work.count) }
      for _ in 0..<min(work.concurrency, work.count) { task.send(.data(message)) { _ in } }
      for number in 0..<work.count {
        try await receiveBack(message, on: task)
        if number + work.concurrency < work.count { task.send(.data(message)) { _ in } }
      }
    }
  }

  /// Sends one message after another, as the other clients do: each is sent before its answer is waited for.
  private static func converse(_ task: URLSessionWebSocketTask, _ message: Data, count: Int) async throws {
    for _ in 0..<count {
      try await task.send(.data(message))
      try await receiveBack(message, on: task)
    }
  }

  private static func receiveBack(_ message: Data, on task: URLSessionWebSocketTask) async throws {
    guard case .data(let data) = try await task.receive(), data.count == message.count else {
      throw EchoWork.Misuse(description: "another message came back")
    }
  }

  /// Opens connections that nothing happens on.
  private static func openIdle(_ work: EchoWork, _ session: URLSession) async throws {
    // What the first one needs is the process's.
    let first = session.webSocketTask(with: try work.url)
    first.resume()
    try await first.sendPing()
    var tasks: [URLSessionWebSocketTask] = []
    let before = ProcessFacts.residentKilobytes
    for _ in 0..<work.count {
      let task = session.webSocketTask(with: try work.url)
      task.resume()
      tasks.append(task)
      try await task.sendPing()
    }
    work.report(client: "URLLoading", grownKilobytes: ProcessFacts.residentKilobytes - before)
    withExtendedLifetime(tasks) {}
  }

  /// Takes messages more slowly than they could come.
  private static func consumeSlowly(_ work: EchoWork, _ session: URLSession) async throws {
    let task = session.webSocketTask(with: try work.url)
    task.resume()
    try await work.measure(client: "URLLoading") {
      for number in 0..<work.count {
        guard case .data(let data) = try await task.receive(), data.count == work.size else {
          throw EchoWork.Misuse(description: "another message came")
        }
        // A consumer that has other things to do.
        if number % 64 == 0 { try await Task.sleep(for: .milliseconds(1)) }
      }
    }
  }
}
