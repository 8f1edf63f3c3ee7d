internal import URLLoadingBase

/// Which parts of a file to ask for next, and in which order their bytes go on. A value that does no I/O.
///
/// Parts are asked for ahead of what was handed on, as far as a window reaches. The window grows until the way to the server is
/// filled: then answers wait for one another, and take more than twice the time of the fastest. Near by it hence stays small; more
/// in flight would only leave the processors' caches before it is used. It shrinks when the consumer does not keep up, so that
/// little waits in memory. Bytes that are next in order are handed on as they come; others are kept until it is their turn, and all
/// that come while the consumer is slow.
struct ReadAhead {
  /// A part to ask for. A part whose answer was short is asked for again, from where it ended.
  struct Request: Hashable {
    let part: Int
    let offset: UInt64
    let count: Int
  }

  enum EndAction: Hashable {
    /// The part is whole.
    case nothing
    /// The answer was short: ask for the rest.
    case askAgain(Request)
    /// The answer was empty: asking again would have no end.
    case fail
  }

  private struct Part {
    let offset: UInt64
    let count: Int
    let askedTime: MonotonicInstant
    var receivedCount = 0
    /// Bytes of the answer that is coming in, or came last.
    var answerCount = 0
    var kept: [UInt8] = []
    var isWhole = false
  }

  /// What was asked for and has not been handed on in full, in order.
  private var parts: [Part] = []
  private var firstPart = 0
  private var nextOffset: UInt64
  private var handedOnOffset: UInt64
  private let end: UInt64
  private var requestCount: Int
  private var window: Int
  private let smallestWindow: Int
  private let firstWindow: Int
  private let largestWindow: Int
  /// Where the window was decided upon last.
  private var decidedAt: UInt64
  private var shortestAnswerTime = Duration.seconds(Int64.max)
  private var lastAnswerTime = Duration.zero
  private(set) var isPaused = false

  /// Bytes asked for ahead, at first and at most.
  static let firstWindow = 1 << 20
  static let largestWindow = 8 << 20

  /// Makes the plan for the bytes of a file.
  /// - Parameters:
  ///   - range: their positions.
  ///   - requestCount: bytes that one request may ask for.
  init(
    _ range: Range<UInt64>, requestCount: Int, firstWindow: Int = ReadAhead.firstWindow,
    largestWindow: Int = ReadAhead.largestWindow
  ) {
    nextOffset = range.lowerBound
    handedOnOffset = range.lowerBound
    decidedAt = range.lowerBound
    end = range.upperBound
    self.requestCount = max(1, requestCount)
    smallestWindow = min(2 * self.requestCount, largestWindow)
    self.largestWindow = max(largestWindow, self.requestCount)
    self.firstWindow = max(firstWindow, smallestWindow)
    window = self.firstWindow
  }

  /// Where the next byte to be handed on is in the file.
  var position: UInt64 { handedOnOffset }

  /// Whether everything was asked for.
  var isAsked: Bool { nextOffset >= end }

  /// Whether everything was handed on.
  var isComplete: Bool { handedOnOffset >= end }

  /// Bytes that are waited for or kept.
  var aheadCount: Int { Int(clamping: nextOffset - handedOnOffset) }

  /// The consumer is slow, or is not any more.
  mutating func pause(_ pauses: Bool) {
    if pauses, !isPaused {
      window = max(smallestWindow, window / 2)
      decidedAt = handedOnOffset
    }
    isPaused = pauses
  }

  /// The next part to ask for, if one is to be asked for now.
  mutating func next(at time: MonotonicInstant) -> Request? {
    guard !isPaused, !isAsked, aheadCount == 0 || aheadCount + requestCount <= window else { return nil }
    let count = Int(min(UInt64(requestCount), end - nextOffset))
    let request = Request(part: firstPart + parts.count, offset: nextOffset, count: count)
    parts.append(Part(offset: nextOffset, count: count, askedTime: time))
    nextOffset += UInt64(count)
    return request
  }

  /// Bytes of a part came.
  /// - Returns: whether they are next in order and go on now; else they are kept.
  mutating func received(_ bytes: UnsafeRawBufferPointer, of number: Int, at time: MonotonicInstant) -> Bool {
    let index = number - firstPart
    guard parts.indices.contains(index), !parts[index].isWhole else { return false }
    if parts[index].receivedCount == 0 {
      lastAnswerTime = parts[index].askedTime.duration(to: time)
      shortestAnswerTime = min(shortestAnswerTime, lastAnswerTime)
    }
    // The table of requests has seen to it that no answer is longer than was asked for.
    let count = min(bytes.count, parts[index].count - parts[index].receivedCount)
    parts[index].receivedCount += count
    parts[index].answerCount += count
    guard index == 0, parts[index].kept.isEmpty, !isPaused else {
      parts[index].kept += bytes.prefix(count)
      return false
    }
    handOn(count)
    return true
  }

  /// The answer to a request for a part has ended.
  mutating func ended(_ number: Int) -> EndAction {
    let index = number - firstPart
    guard parts.indices.contains(index) else { return .nothing }
    let answerCount = parts[index].answerCount
    parts[index].answerCount = 0
    guard parts[index].receivedCount < parts[index].count else {
      parts[index].isWhole = true
      dropFinished()
      return .nothing
    }
    guard answerCount > 0 else { return .fail }
    // A server that gives less than it is asked for is asked for less from now on.
    requestCount = max(min(requestCount, answerCount), min(requestCount, 4096))
    return .askAgain(
      Request(
        part: number, offset: parts[index].offset + UInt64(parts[index].receivedCount),
        count: parts[index].count - parts[index].receivedCount))
  }

  /// Kept bytes whose turn has come: some of them, so that a pause can come between.
  mutating func takeKept() -> [UInt8]? {
    guard !isPaused, let first = parts.first, !first.kept.isEmpty else { return nil }
    parts[0].kept = []
    handOn(first.kept.count)
    dropFinished()
    return first.kept
  }

  private mutating func handOn(_ count: Int) {
    handedOnOffset += UInt64(count)
    guard handedOnOffset - decidedAt >= UInt64(window) else { return }
    decidedAt = handedOnOffset
    guard window < firstWindow || lastAnswerTime / 2 < shortestAnswerTime else { return }
    window = min(window * 2, largestWindow)
  }

  private mutating func dropFinished() {
    while let first = parts.first, first.isWhole, first.kept.isEmpty {
      parts.removeFirst()
      firstPart += 1
    }
  }
}
