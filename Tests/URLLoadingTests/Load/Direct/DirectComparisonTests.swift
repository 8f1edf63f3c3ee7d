import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Exchanges of every kind have the same result, and the task looks the same at each step, whether a load goes directly or the whole way.
@Suite(.timeLimit(.minutes(4))) struct DirectComparisonTests {
  private struct Result: Equatable { var seen: [String], outcome: String }

  private static func session(isDirect: Bool) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [ScriptedProtocol.self]
    configuration[DirectLaneSettings.self].isOpen = isDirect
    return URLSession(configuration: configuration)
  }

  /// Steps in an order that a class keeps as a rule, and with what it may not do; and what a program may ask and do meanwhile.
  /// - Parameter body: the length of the request's; 0 for none.
  private static func exchange(_ random: inout SeededGenerator, body: Int) -> [ScriptedExchange.Step] {
    typealias Step = ScriptedExchange.Step
    var steps: [Step] = []
    let sizes = (0..<Int.random(in: 0...4, using: &random)).map { _ in Int.random(in: 0...9000, using: &random) }
    let announced = Bool.random(using: &random) ? sizes.reduce(0, +) : -1
    let policies: [URLCache.StoragePolicy] = [.notAllowed, .notAllowed, .allowed, .allowedInMemoryOnly]
    // Of a body, halves; now and then after the response.
    if body > 0 { steps += [.sent(Int64(body / 2)), .sent(Int64(body))] }
    steps.append(.response(length: announced, policies.randomElement(using: &random) ?? .notAllowed))
    steps += sizes.map { .bytes($0) }
    steps.append(Int.random(in: 0..<5, using: &random) == 0 ? .fail : .finish)
    if Int.random(in: 0..<6, using: &random) == 0 { steps.swapAt(0, Int.random(in: 0..<steps.count, using: &random)) }
    if Int.random(in: 0..<8, using: &random) == 0 { steps.append(steps.randomElement(using: &random) ?? .finish) }
    if Int.random(in: 0..<10, using: &random) == 0 { steps.remove(at: 0) }
    let questions: [(String, @Sendable (URLSessionTask) -> String)] = [
      ("received", { "\($0.countOfBytesReceived)" }),
      ("sent", { "\($0.countOfBytesSent) \($0.countOfBytesExpectedToSend)" }),
      ("body", { "\($0.currentRequest?.httpBody?.count ?? -1)" }),
      ("expected", { "\($0.countOfBytesExpectedToReceive)" }),
      ("response", { "\($0.response?.expectedContentLength ?? -2)" }),
      ("request", { "\($0.currentRequest?.url?.scheme ?? "") \($0.originalRequest?.url == $0.currentRequest?.url)" }),
      ("state", { "\($0.state == .suspended)" }),
      (
        "priority",
        { task in
          task.priority = 1
          return "\(task.priority)"
        }
      ),
      (
        "description",
        { task in
          task.taskDescription = "x"
          return task.taskDescription ?? ""
        }
      ),
      ("progress", { "\($0.progress.isCancellable)" }),
      ("delegate", { "\($0.delegate == nil)" }),
    ]
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let (name, ask) = questions[Int.random(in: 0..<questions.count, using: &random)]
      steps.insert(.task(name, ask), at: Int.random(in: 0...steps.count, using: &random))
    }
    let commands: [(String, @Sendable (URLSessionTask) -> String)] = [
      (
        "cancel",
        { task in
          task.cancel()
          return ""
        }
      ),
      (
        "suspend and resume",
        { task in
          task.suspend()
          let isSuspended = task.state != .running
          task.resume()
          return "\(isSuspended)"
        }
      ),
      (
        "resume",
        { task in
          task.resume()
          return ""
        }
      ),
    ]
    if Int.random(in: 0..<3, using: &random) == 0 {
      let (name, command) = commands[Int.random(in: 0..<commands.count, using: &random)]
      // What is done once the end has come races with the handler.
      let last = steps.firstIndex { step in
        switch step {
        case .finish, .fail: true
        default: false
        }
      }
      steps.insert(.task(name, command), at: Int.random(in: 0...(last ?? steps.count), using: &random))
    }
    return steps
  }

  private static func outcome(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) -> String {
    let error = error.map { $0 as NSError }
    return "\(data.map { "\($0.count) \($0.hashValue)" } ?? "nil") \(response?.expectedContentLength ?? -2)"
      + " \(error.map { "\($0.domain) \($0.code)" } ?? "nil")"
  }

  private static func run(
    _ steps: [ScriptedExchange.Step], body: Int, in session: URLSession
  ) async -> (Result, ScriptedExchange) {
    // Nothing is stored when a load begins.
    session.configuration.urlCache?.removeAllCachedResponses()
    let exchange = ScriptedExchange(steps)
    let isDone = AsyncEvent()
    let outcome = Watched("")
    var request = URLRequest(url: exchange.url)
    if body > 0 {
      request.httpMethod = "POST"
      request.httpBody = Data(count: body)
    }
    let task = session.dataTask(with: request) { data, response, error in
      outcome.update { $0 = Self.outcome(data, response, error) }
      isDone.signal()
    }
    exchange.task.update { $0 = task }
    task.resume()
    #expect(await exchange.hasRun.wait())
    // What never ends by itself.
    if !(await isDone.wait(timeout: .milliseconds(steps.contains { $0.ends } ? 20_000 : 20))) { task.cancel() }
    #expect(await isDone.wait())
    exchange.task.update { $0 = nil }
    exchange.forget()
    return (Result(seen: exchange.seen.value, outcome: outcome.value), exchange)
  }

  @Test(arguments: 0..<20) func bothWaysAreAlike(_ seed: Int) async {
    var random = SeededGenerator(seed: UInt64(seed))
    let (direct, whole) = (Self.session(isDirect: true), Self.session(isDirect: false))
    for number in 0..<100 {
      let body = Bool.random(using: &random) ? 0 : Int.random(in: 1...9000, using: &random)
      let steps = Self.exchange(&random, body: body)
      let (mine, exchange) = await Self.run(steps, body: body, in: direct)
      let (other, wholeExchange) = await Self.run(steps, body: body, in: whole)
      #expect(mine == other, "\(seed)/\(number): \(steps)")
      #expect(exchange.directStarts.value == 1 && wholeExchange.directStarts.value == 0)
      #expect(exchange.stops.value <= 1)
    }
    direct.invalidateAndCancel()
    whole.invalidateAndCancel()
  }
}

extension ScriptedExchange.Step {
  fileprivate var ends: Bool {
    switch self {
    case .finish, .fail: true
    case .sent, .response, .bytes, .task: false
    }
  }
}
