/// Whether the events of one instance come in the order *(redirect | challenge)\*, one response, data\*, finish*, with a failure at
/// any time, one redirect at most, and nothing after the end. A value without I/O.
struct EventOrder: Sendable {
  enum Event: Sendable, Equatable {
    case redirect, challenge, response, finish, failure
    case data(Int)

    var name: String {
      switch self {
      case .redirect: "a redirect"
      case .challenge: "a challenge"
      case .response: "a response"
      case .data(let count): "\(count) bytes"
      case .finish: "a finish"
      case .failure: "a failure"
      }
    }
  }

  /// Bytes of the body so far.
  private(set) var bytes = 0
  private(set) var largestPiece = 0
  private(set) var hasRedirect = false
  private(set) var hasResponse = false
  private(set) var end: Event?
  /// What came out of order, in words.
  private(set) var violations: [String] = []

  mutating func record(_ event: Event) {
    if case .data(let count) = event {
      bytes += count
      largestPiece = max(largestPiece, count)
    }
    if let end {
      violations.append("\(event.name) after \(end.name)")
      return
    }
    switch event {
    case .redirect, .challenge:
      if hasResponse { violations.append("\(event.name) after the response") }
      // The session makes another instance for what follows.
      if event == .redirect, hasRedirect { violations.append("a second redirect") }
      hasRedirect = hasRedirect || event == .redirect
    case .response:
      if hasResponse { violations.append("a second response") }
      hasResponse = true
    case .data:
      if !hasResponse { violations.append("\(event.name) before a response") }
    case .finish:
      if !hasResponse { violations.append("a finish without a response") }
      end = event
    case .failure: end = event
    }
  }
}
