import Foundation
import URLLoadingTestServers

@testable import URLLoading

/// Loads `script:` URLs by a script, by an instance and directly.
///
/// Mutable state: none; the exchange guards its own.
// Safe to share: see above.
final class ScriptedProtocol: URLProtocol, URLProtocolDirectLoading, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "script" }
  override class var capabilities: Capabilities { [.nonblocking, .schemes("script")] }

  static func directLoad(of request: URLRequest, in session: URLSession) -> (any URLDirectLoad)? {
    ScriptedExchange.of(request).map { ScriptedDirectLoad($0, request) }
  }

  override func startLoading() {
    guard let exchange = ScriptedExchange.of(request) else { return }
    exchange.queue.async { [self] in
      exchange.run { step in
        switch step {
        case .response(let length, let policy):
          let response = ScriptedExchange.response(request.url, length)
          client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: policy)
        case .sent(let total): sessionClient?.urlProtocol(self, didSendBodyData: total)
        case .bytes(let count): client?.urlProtocol(self, didLoad: Data(repeating: UInt8(count & 0xFF), count: count))
        case .finish: client?.urlProtocolDidFinishLoading(self)
        case .fail: client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost))
        case .task: break
        }
      }
    }
  }

  override func stopLoading() { ScriptedExchange.of(request)?.stops.update { $0 += 1 } }
}

/// The same without an instance.
private final class ScriptedDirectLoad: URLDirectLoad {
  private let exchange: ScriptedExchange
  private let request: URLRequest

  init(_ exchange: ScriptedExchange, _ request: URLRequest) {
    (self.exchange, self.request) = (exchange, request)
  }

  func start(for receiver: URLDirectReceiver) {
    exchange.directStarts.update { $0 += 1 }
    exchange.queue.async { [self] in
      exchange.run { step in
        switch step {
        case .response(let length, let policy):
          receiver.receive(ScriptedExchange.response(request.url, length), cacheStoragePolicy: policy)
        case .sent(let total): receiver.didSend(total)
        case .bytes(let count): receiver.receive(Data(repeating: UInt8(count & 0xFF), count: count))
        case .finish: receiver.finish()
        case .fail: receiver.fail(URLError(.networkConnectionLost))
        case .task: break
        }
      }
    }
  }

  func stop() { exchange.stops.update { $0 += 1 } }

  func setPaused(_ isPaused: Bool) { exchange.isPaused.update { $0 = isPaused } }
}

/// What a server of the scheme `script` does, and what is done to the task meanwhile.
final class ScriptedExchange: Sendable {
  enum Step: Sendable {
    /// So much of the request's body was sent.
    case sent(Int64)
    case response(length: Int, URLCache.StoragePolicy)
    case bytes(Int)
    case finish
    case fail
    /// Something is asked of the task, or done to it.
    case task(String, @Sendable (URLSessionTask) -> String)
  }

  private static let exchanges = Watched<[String: ScriptedExchange]>([:])

  let steps: [Step]
  let url: URL
  let queue = DispatchQueue(label: "script")
  let task = Watched<URLSessionTask?>(nil)
  /// What was seen after each step.
  let seen = Watched<[String]>([])
  let hasRun = AsyncEvent()
  let stops = Watched(0)
  let directStarts = Watched(0)
  let isPaused = Watched(false)

  init(_ steps: [Step]) {
    self.steps = steps
    let name = UUID().uuidString.lowercased()
    url = URL(string: "script://\(name)/") ?? URL(fileURLWithPath: "/")
    let exchange = self
    Self.exchanges.update { $0[name] = exchange }
  }

  func forget() { Self.exchanges.update { $0[url.host() ?? ""] = nil } }

  static func of(_ request: URLRequest) -> ScriptedExchange? { exchanges.value[request.url?.host() ?? ""] }

  static func response(_ url: URL?, _ length: Int) -> URLResponse {
    URLResponse(
      url: url ?? "script://none/", mimeType: "text/plain", expectedContentLength: length, textEncodingName: nil)
  }

  func run(_ carryOut: (Step) -> Void) {
    for step in steps {
      if case .task(let name, let ask) = step {
        if let task = task.value {
          let answer = ask(task)
          seen.update { $0.append("\(name): \(answer)") }
        }
      } else {
        carryOut(step)
      }
    }
    hasRun.signal()
  }
}
