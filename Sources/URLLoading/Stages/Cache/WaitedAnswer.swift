internal import URLLoadingBase

/// An answer that a thread waits for.
///
/// Mutable state: `answer`, guarded by `condition`.
// Safe to share: see above.
final class WaitedAnswer<Answer: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var answer: Answer?

  func give(_ given: Answer) {
    condition.lock()
    answer = given
    condition.signal()
    condition.unlock()
  }

  func wait() -> Answer {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let answer { return answer }
      condition.wait()
    }
  }
}

extension URLCacheBody {
  /// All bytes; nil where they cannot be read.
  var wholeData: Data? {
    switch self {
    case .data(let data): return data
    case .reader(let reader):
      var data = Data(count: Int(clamping: reader.length))
      let count = data.withUnsafeMutableBytes { try? reader.read(into: $0, at: 0) }
      return count == data.count ? data : nil
    }
  }

  var length: Int64 {
    switch self {
    case .data(let data): Int64(data.count)
    case .reader(let reader): reader.length
    }
  }
}
