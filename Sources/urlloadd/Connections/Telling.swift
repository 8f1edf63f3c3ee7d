internal import URLLoadingBase

/// What a program is still to be told, in order, and how much of it may be on its way: a value without I/O.
///
/// It has numbers alone. What there is to say about one is looked up when its turn comes, so that 100,000 tasks take no more than these.
struct Telling {
  enum Step: Equatable {
    /// A task that the session has.
    case task(Int)
    /// All tasks were told.
    case attached
    /// A task that has ended.
    case end(Int)
    /// How far a task is.
    case state(Int)
    /// All that waited was told.
    case caughtUp
    /// A task of any session, for people.
    case job(Int, command: Int)
    case jobsEnd(command: Int)
  }

  /// Bytes of the list between two `piece`s.
  static let pieceSize = 128 << 10
  /// Pieces that may be unacknowledged.
  static let pieceLimit = 2

  private var steps = FIFO<Step>()
  /// The last task that was told, while they are told; nil before and after that.
  private var lastTask: Int?
  /// The program does not know all of its tasks yet.
  private(set) var isListing = false
  /// The program acknowledges pieces: its version of the protocol has them.
  var acknowledges = false
  private var bytesOfPiece = 0
  private var lastPiece = 0
  private var acknowledged = 0

  /// Begins with a session's tasks.
  /// - Parameter numbers: in their order.
  mutating func list(_ numbers: [Int]) {
    // A program whose session has none knows them all.
    isListing = !numbers.isEmpty
    for number in numbers { steps.append(.task(number)) }
    steps.append(.attached)
  }

  mutating func append(_ step: Step) { steps.append(step) }

  /// A task has ended that the program is to hear of. One that ends while tasks are listed is found after them.
  mutating func ended(_ number: Int) { if !isListing { steps.append(.end(number)) } }

  /// Whether the program knows a task by now, so that events of it mean something there.
  func hasTold(_ number: Int) -> Bool { !isListing || lastTask.map { number <= $0 } == true }

  /// Steps that are left.
  var count: Int { steps.count }

  /// Whether there is something that may be told now.
  var mayGoOn: Bool { !steps.isEmpty && lastPiece - acknowledged < Self.pieceLimit }

  /// What is told next; nil where nothing may be.
  mutating func next() -> Step? {
    guard mayGoOn, let step = steps.popFirst() else { return nil }
    switch step {
    case .task(let number): lastTask = number
    case .attached: (isListing, lastTask) = (false, nil)
    case .end, .state, .caughtUp, .job, .jobsEnd: break
    }
    return step
  }

  /// So many bytes were told.
  /// - Returns: the number of the piece that ends here; nil for none.
  mutating func told(_ count: Int) -> Int? {
    guard acknowledges else { return nil }
    bytesOfPiece += count
    guard bytesOfPiece >= Self.pieceSize else { return nil }
    bytesOfPiece = 0
    lastPiece += 1
    return lastPiece
  }

  /// The program has taken a piece, and all before it.
  mutating func took(_ piece: Int) {
    // No program has taken what it was not sent.
    if piece <= lastPiece { acknowledged = max(acknowledged, piece) }
  }
}
