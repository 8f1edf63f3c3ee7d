internal import URLLoadingBase

/// The bytes that one archive may have in temporary files, all of them together.
///
/// Mutable state: `used`, guarded by its own lock.
final class SpoolBudget: Sendable {
  private let limit: Int64
  private let used = Locked<Int64>(0)

  init(limit: Int64) {
    self.limit = limit
  }

  func take(_ count: Int) throws {
    let isEnough = used.withLock { used in
      guard Int64(count) <= limit - used else { return false }
      used += Int64(count)
      return true
    }
    guard isEnough else {
      throw ArchiveError.limitExceeded(
        what: "decoded bytes in temporary files", limit: limit, property: "maximumSpooledBytes")
    }
  }

  func giveBack(_ count: Int64) {
    used.withLock { $0 -= count }
  }
}
