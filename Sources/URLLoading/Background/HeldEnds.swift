/// The ends of tasks that a program has been sent and its delegate has not heard of, and what they mean for the list: a value without I/O.
///
/// While there is too much of them, pieces of the list are not acknowledged, and the service sends no more.
struct HeldEnds {
  /// Bytes of all ends together, beside what each may have.
  private static let limit = 4 << 20
  /// Bytes of each end that do not count: the ends of small tasks are all taken, however many they are.
  private static let allowance = 4 << 10

  private var sizes: [Int: Int] = [:]
  private var total = 0
  /// The head that came last: that of an end comes right before it.
  private var lastHead: (task: Int, size: Int)?
  /// The last piece that is not acknowledged.
  private var owed: Int?

  /// Pieces are counted anew.
  mutating func beginConnection() { (owed, lastHead) = (nil, nil) }

  /// - Parameter isHeld: whether it is an end that the delegate is to hear of.
  mutating func receive(_ event: BackgroundEvent, of task: Int, isHeld: Bool) {
    switch event {
    case .response(let head): lastHead = (task, head.count)
    case .ended(let outcome):
      let head = lastHead.flatMap { $0.task == task ? $0.size : nil } ?? 0
      lastHead = nil
      // A service that was started again repeats it.
      guard isHeld, sizes[task] == nil else { return }
      let size = max(0, head + outcome.approximateSize - Self.allowance)
      sizes[task] = size
      total += size
    default: break
    }
  }

  /// - Returns: the piece to acknowledge, now; nil for later.
  mutating func received(piece: Int) -> Int? {
    owed = piece
    return takeOwed()
  }

  /// The delegate has heard of an end, or may not hear of it for long.
  /// - Returns: the piece to acknowledge; nil for none.
  mutating func release(_ task: Int) -> Int? {
    total -= sizes.removeValue(forKey: task) ?? 0
    return takeOwed()
  }

  private mutating func takeOwed() -> Int? {
    guard total <= Self.limit else { return nil }
    return owed.take()
  }
}

extension BackgroundOutcome {
  /// Bytes that it takes in a message, about.
  fileprivate var approximateSize: Int {
    let texts = (file?.utf8.count ?? 0) + (error?.description.utf8.count ?? 0)
    return texts + (resumeData?.count ?? 0) + (metrics?.transactions.reduce(0) { $0 + $1.size } ?? 0)
  }
}
