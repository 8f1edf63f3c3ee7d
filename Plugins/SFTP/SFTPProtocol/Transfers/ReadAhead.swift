internal import URLLoadingBase

/// Decides which parts of a file to request next, and puts their bytes in order. A value that does no I/O.
///
/// Parts are requested ahead, within a window. It grows until replies take more than twice the time of the fastest: then the network path
/// is full, and more in flight would only leave the processor's cache. It shrinks when the consumer is slow. Bytes that are next in order
/// are delivered as they come; others are buffered until their turn, and all during a pause.
struct ReadAhead {
  /// A request for a part, or for the rest of one whose reply was short.
  struct Request: Hashable {
    let part: Int
    let offset: UInt64
    let count: Int
  }

  enum EndAction: Hashable {
    /// The part is whole.
    case nothing
    /// The reply was short: request the rest.
    case askAgain(Request)
    /// The reply was empty: requesting again would have no end.
    case fail
  }

  private struct Part {
    let offset: UInt64
    let count: Int
    let askedTime: MonotonicInstant
    var receivedCount = 0
    /// Bytes of the current or last reply.
    var answerCount = 0
    var kept: [UInt8] = []
    var isWhole = false
  }

  /// Parts that were requested and not delivered in full, in order.
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
  /// Position of the last decision about the window.
  private var decidedAt: UInt64
  private var shortestAnswerTime = Duration.seconds(Int64.max)
  private var lastAnswerTime = Duration.zero
  private(set) var isPaused = false

  /// Bytes requested ahead, at first and at most.
  static let firstWindow = 1 << 20
  static let largestWindow = 8 << 20

  /// - Parameters:
  ///   - range: positions in the file.
  ///   - requestCount: bytes of one request.
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

  /// The position of the next byte to deliver.
  var position: UInt64 { handedOnOffset }

  /// Whether everything was requested.
  var isAsked: Bool { nextOffset >= end }

  var isComplete: Bool { handedOnOffset >= end }

  /// Bytes requested or buffered.
  var aheadCount: Int { Int(clamping: nextOffset - handedOnOffset) }

  mutating func pause(_ pauses: Bool) {
    if pauses, !isPaused {
      window = max(smallestWindow, window / 2)
      decidedAt = handedOnOffset
    }
    isPaused = pauses
  }

  /// The next part to request now, if any.
  mutating func next(at time: MonotonicInstant) -> Request? {
    guard !isPaused, !isAsked, aheadCount == 0 || aheadCount + requestCount <= window else { return nil }
    let count = Int(min(UInt64(requestCount), end - nextOffset))
    let request = Request(part: firstPart + parts.count, offset: nextOffset, count: count)
    parts.append(Part(offset: nextOffset, count: count, askedTime: time))
    nextOffset += UInt64(count)
    return request
  }

  /// Takes bytes of a part.
  /// - Returns: whether they are next in order, to be delivered now; else they are buffered.
  mutating func received(_ bytes: UnsafeRawBufferPointer, of number: Int, at time: MonotonicInstant) -> Bool {
    let index = number - firstPart
    guard parts.indices.contains(index), !parts[index].isWhole else { return false }
    if parts[index].receivedCount == 0 {
      lastAnswerTime = parts[index].askedTime.duration(to: time)
      shortestAnswerTime = min(shortestAnswerTime, lastAnswerTime)
    }
    // `RequestTable` refuses replies that are longer than the request.
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

  /// The reply to a request for a part has ended.
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
    // The server's limit, for later requests.
    requestCount = max(min(requestCount, answerCount), min(requestCount, 4096))
    return .askAgain(
      Request(
        part: number, offset: parts[index].offset + UInt64(parts[index].receivedCount),
        count: parts[index].count - parts[index].receivedCount))
  }

  /// Buffered bytes whose turn has come: those of one part, so that a pause can take effect before the next.
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
