import URLLoading

/// What the delegate was asked.
struct DelegateQuestions: Sendable {
  /// Not the challenges themselves: they retain the instance that asks.
  var challenges: [(space: URLProtectionSpace, failures: Int)] = []
  var redirects: [(response: HTTPURLResponse, request: URLRequest)] = []
  /// The answers that are deferred.
  var deferred: [@Sendable () -> Void] = []

  var count: Int { challenges.count + redirects.count }

  /// How many challenges each server or proxy sent.
  var challengeCounts: [Challenger: Int] {
    challenges.reduce(into: [:]) { $0[Challenger($1.space), default: 0] += 1 }
  }

  /// The failure counts of the challenges of each protection space, in their order.
  var failureCounts: [URLProtectionSpace: [Int]] {
    challenges.reduce(into: [:]) { $0[$1.space, default: []].append($1.failures) }
  }
}
