/// How many files and directories may be open on a connection: more than the server takes would only fail.
struct HandleAllowance: Hashable, Sendable {
  var limit: Int
  private(set) var takenCount = 0

  init(limit: Int) {
    self.limit = limit
  }

  var isAvailable: Bool { takenCount < limit }

  /// Takes one.
  /// - Returns: false where none is left.
  mutating func take() -> Bool {
    guard isAvailable else { return false }
    takenCount += 1
    return true
  }

  mutating func release() {
    takenCount = max(0, takenCount - 1)
  }
}
