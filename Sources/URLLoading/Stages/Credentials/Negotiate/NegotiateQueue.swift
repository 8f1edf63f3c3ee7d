/// Who waits for a token of which host. A value without I/O.
///
/// There is one call at a time for each host: what it gets from the KDC, the next one finds among the tickets of the process.
struct NegotiateQueue {
  /// Takes a token, or why there is none.
  struct Waiter: Sendable {
    var take: @Sendable (NegotiateTokens.Outcome) -> Void
  }

  private struct Line {
    var waiters: [Int: Waiter] = [:]
    /// The numbers of those who wait, and of some who have left.
    var order: ArraySlice<Int> = []

    mutating func popFirst() -> Waiter? {
      while let number = order.popFirst() {
        if let waiter = waiters.removeValue(forKey: number) { return waiter }
      }
      return nil
    }
  }

  /// By host: there is a call for each that is here.
  private var lines: [String: Line] = [:]
  private var lastNumber = 0

  /// - Returns: the request, and whether a call has to be made.
  mutating func add(_ waiter: Waiter, for host: String) -> (request: NegotiateTokens.Request, isFirst: Bool) {
    lastNumber += 1
    let isFirst = lines[host] == nil
    lines[host, default: Line()].waiters[lastNumber] = waiter
    lines[host]?.order.append(lastNumber)
    return (NegotiateTokens.Request(host: host, number: lastNumber), isFirst)
  }

  /// - Returns: who has left; nil where it does not wait. To be released outside of locks.
  mutating func remove(_ request: NegotiateTokens.Request) -> Waiter? {
    lines[request.host]?.waiters.removeValue(forKey: request.number)
  }

  /// The call for a host is about to be made.
  /// - Returns: whether anybody still waits for it.
  mutating func begins(for host: String) -> Bool {
    if lines[host]?.waiters.isEmpty == false { return true }
    lines[host] = nil
    return false
  }

  /// The call for a host has ended. A token is for one request, a failure for all that wait.
  /// - Returns: who takes the outcome, and whether another call has to be made.
  mutating func ended(for host: String, hasToken: Bool) -> (takers: [Waiter], callsAgain: Bool) {
    guard var line = lines.removeValue(forKey: host) else { return ([], false) }
    var takers: [Waiter] = []
    while let waiter = line.popFirst() {
      takers.append(waiter)
      if hasToken { break }
    }
    guard !line.waiters.isEmpty else { return (takers, false) }
    lines[host] = line
    return (takers, true)
  }
}
