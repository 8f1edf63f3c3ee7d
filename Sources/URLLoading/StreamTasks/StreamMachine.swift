internal import URLLoadingBase

/// The requests of a stream task's owner, matched with the input and output of its connection: a value that is fed events and answers with
/// effects. No I/O, no clock of its own, no locks.
///
/// Reads complete in FIFO order, and so do writes. A barrier – closing a direction, TLS, capturing the streams – waits for all requests
/// before it, and holds up those after it. A request that fails also fails those queued after it in the same direction: otherwise the
/// peer would take later bytes for the missing ones.
struct StreamMachine: EffectMachine {
  typealias ReadCompletion = @Sendable (Data?, _ atEOF: Bool, (any Error)?) -> Void
  typealias WriteCompletion = @Sendable ((any Error)?) -> Void

  /// An action for the runner to carry out.
  enum Effect {
    case read(ReadCompletion, Data?, atEOF: Bool, (any Error)?)
    case written(WriteCompletion, (any Error)?)
    /// There is something to send.
    case announce
    /// So many buffered bytes were consumed.
    case consumed(Int)
    /// Set the timer to this time.
    case look(MonotonicInstant)
    case readClosed
    case writeClosed
    /// Hand the streams to the owner.
    case captured
    /// A TLS handshake has begun, or has ended.
    case securing(Bool)
    /// End the load: the connection is closed or broken.
    case end((any Error)?)
  }

  enum Barrier {
    case closeRead, closeWrite, secure, capture
  }

  private enum Request {
    case read(Read)
    case write(Write)
    case barrier(Barrier)

    var caller: ObjectIdentifier? {
      switch self {
      case .read(let read): read.caller
      case .write(let write): write.caller
      case .barrier: nil
      }
    }
  }

  private struct Read {
    let minimum: Int
    let maximum: Int
    let deadline: MonotonicInstant
    /// Who may withdraw it; nil for nobody.
    let caller: ObjectIdentifier?
    let completion: ReadCompletion
  }

  private struct Write {
    let data: Data
    let deadline: MonotonicInstant
    /// Who may withdraw it; nil for nobody.
    let caller: ObjectIdentifier?
    /// Nil where it was withdrawn.
    let completion: WriteCompletion?
  }

  private var reads = FIFO<Read>()
  private var writes = FIFO<Write>()
  /// The next barrier and the requests after it.
  private var later = FIFO<Request>()
  private var input = ByteQueue()
  /// Bytes at the front of the input that are reserved for a pending read, and count as consumed.
  private var credited = 0
  private var isInputOver = false
  private var isReadClosed = false
  private var isWriteClosed = false
  /// The bytes of the first write that were sent.
  private var taken = 0
  /// The signal for the connection (end of output, start of TLS) after the queued writes.
  private var signal: URLProtocolUpstream.Read?
  /// A TLS handshake is in progress: nothing is sent before its end.
  private var isSecuring = false
  private let hasWrites: Bool
  /// The error of all later requests; nil while the connection is open.
  private var failure: (any Error)?
  /// The error of all later writes, where the output has failed; the input can still be read.
  private var outputFailure: (any Error)?
  /// The connection was shut down gracefully: buffered input can be read, and then the end.
  private var hasEndedWell = false
  /// The connection belongs to streams: closing one does not wait for the other.
  private var isCaptured = false
  private var closesWhenWritten = false
  /// When the timer fires next.
  private var armed = MonotonicInstant.distantFuture
  private var effects: [Effect] = []
  private let url: URL?

  /// - Parameter isWritable: false where there is only a body to read.
  init(url: URL?, isWritable: Bool = true) {
    self.url = url
    hasWrites = isWritable
    isWriteClosed = !isWritable
  }

  /// The effects since the last call, in order.
  mutating func takeEffects() -> [Effect] {
    guard !effects.isEmpty else { return [] }
    return exchange(&effects, with: [])
  }

  /// Bytes that a read would give without waiting.
  var availableBytes: Int { input.count }
  /// The input has ended, or all of it was read.
  var isAtEnd: Bool { input.isEmpty && (isInputOver || isReadClosed || failure != nil) }
  /// Whether a write would be accepted.
  var takesWrites: Bool { failure == nil && !isWriteClosed }

  // MARK: Requests of the owner

  /// - Parameters:
  ///   - minimum: 0 counts as 1.
  ///   - deadline: `.distantFuture` for none.
  ///   - caller: who may ``withdraw(by:)`` it.
  mutating func read(
    minimum: Int, maximum: Int, deadline: MonotonicInstant, by caller: ObjectIdentifier? = nil,
    _ completion: @escaping ReadCompletion
  ) {
    let minimum = max(1, minimum)
    guard maximum >= minimum else {
      let error = URLError(
        .unknown, message: "A read of at least \(minimum) and at most \(maximum) bytes cannot be done.", url: url)
      return effects.append(.read(completion, nil, atEOF: false, error))
    }
    request(
      .read(Read(minimum: minimum, maximum: maximum, deadline: deadline, caller: caller, completion: completion)))
    arm(deadline)
  }

  mutating func write(
    _ data: Data, deadline: MonotonicInstant, by caller: ObjectIdentifier? = nil,
    _ completion: @escaping WriteCompletion
  ) {
    request(.write(Write(data: data, deadline: deadline, caller: caller, completion: completion)))
    arm(deadline)
  }

  /// Withdraws a caller's requests. A read consumes nothing then; a write is not sent, unless a part of it was: then the rest is sent, too.
  mutating func withdraw(by caller: ObjectIdentifier) {
    if let read = reads.removeFirst(where: { $0.caller == caller }) {
      fail(.read(read), CancellationError())
    } else if taken > 0, let write = writes.first, write.caller == caller {
      fail(.write(write), CancellationError())
      // The rest is sent without a deadline, although nobody waits for it: otherwise the peer would take later bytes for it.
      writes.replaceFirst(by: Write(data: write.data, deadline: .distantFuture, caller: nil, completion: nil))
    } else if let write = writes.removeFirst(where: { $0.caller == caller }) {
      fail(.write(write), CancellationError())
    } else if let request = later.removeFirst(where: { $0.caller == caller }) {
      fail(request, CancellationError())
    }
    advance()
  }

  /// One timer is pending at most, for the earliest deadline.
  private mutating func arm(_ deadline: MonotonicInstant) {
    guard deadline < armed else { return }
    armed = deadline
    effects.append(.look(deadline))
  }

  mutating func barrier(_ barrier: Barrier) { request(.barrier(barrier)) }

  private mutating func request(_ request: Request) {
    if isCaptured {
      if case .barrier(let barrier) = request { closeStream(barrier) } else { begin(request) }
      return advance()
    }
    if later.isEmpty, signal == nil { begin(request) } else { later.append(request) }
    advance()
  }

  /// Ends one of the streams: the output after its writes, the input at once.
  private mutating func closeStream(_ barrier: Barrier) {
    if case .closeWrite = barrier, !writes.isEmpty { closesWhenWritten = true } else { perform(barrier) }
  }

  private mutating func begin(_ request: Request) {
    switch request {
    case .read(let read):
      if input.count < read.minimum, let failure, !hasEndedWell {
        fail(request, failure)
      } else {
        reads.append(read)
      }
    case .write(let write):
      if let failure = failure ?? outputFailure ?? (isWriteClosed ? closed : nil) {
        fail(request, failure)
      } else if write.data.isEmpty, writes.isEmpty {
        succeed(write)
      } else {
        writes.append(write)
        effects.append(.announce)
      }
    case .barrier: later.append(request)
    }
  }

  private var closed: URLError {
    URLError(
      .networkConnectionLost,
      message: hasWrites
        ? "The stream is closed for writing." : "What became a stream has a body to be read, and takes nothing.",
      url: url)
  }

  /// Completes the reads that have enough bytes, then the barriers that are due.
  private mutating func advance() {
    completeReads()
    while reads.isEmpty, writes.isEmpty, signal == nil, let next = later.popFirst() {
      if case .barrier(let barrier) = next { perform(barrier) } else { begin(next) }
      completeReads()
    }
  }

  private mutating func completeReads() {
    while let read = reads.first {
      let isOver = isInputOver || isReadClosed
      guard input.count >= read.minimum || isOver else { return credit(input.count) }
      _ = reads.popFirst()
      let data = input.withBytes { Data($0.prefix(read.maximum)) }
      credit(data.count)
      credited -= data.count
      input.removeFirst(data.count)
      effects.append(.read(read.completion, data.isEmpty ? nil : data, atEOF: isOver && input.isEmpty, nil))
    }
  }

  /// Counts the first bytes of the input as consumed: a read of more than the buffer limit would deadlock otherwise.
  private mutating func credit(_ count: Int) {
    guard count > credited else { return }
    effects.append(.consumed(count - credited))
    credited = count
  }

  private mutating func dropInput() {
    credit(input.count)
    credited = 0
    input.removeAll()
  }

  private mutating func perform(_ barrier: Barrier) {
    guard failure == nil else { return }
    switch barrier {
    case .closeRead:
      guard !isReadClosed else { return }
      isReadClosed = true
      dropInput()
      completeReads()
      if !isInputOver { effects.append(.readClosed) }
      endIfClosed()
    case .closeWrite:
      guard !isWriteClosed else { return }
      isWriteClosed = true
      signal = .end
      effects.append(.announce)
    case .secure:
      // A handshake needs the output.
      if let outputFailure { return effects.append(.end(outputFailure)) }
      signal = .secure
      effects.append(.announce)
    case .capture:
      isCaptured = true
      effects.append(.captured)
    }
  }

  /// The owner has closed both directions: later input is discarded.
  private mutating func endIfClosed() {
    if isReadClosed, isWriteClosed, signal == nil { effects.append(.end(outputFailure)) }
  }

  // MARK: The connection

  /// Bytes were received.
  /// - Returns: whether they are buffered.
  mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard !isReadClosed, failure == nil else { return false }
    input.append(bytes)
    advance()
    return true
  }

  /// The peer has closed its direction.
  mutating func inputEnded() {
    guard !isInputOver else { return }
    isInputOver = true
    completeReads()
    if !isReadClosed, failure == nil { effects.append(.readClosed) }
    advance()
  }

  /// The output has failed, usually because the peer has closed the connection; what it sent before can still be read.
  mutating func outputFailed(_ error: any Error) {
    guard failure == nil, outputFailure == nil else { return }
    outputFailure = error
    failWrites(error)
    signal = nil
    closesWhenWritten = false
    if !isWriteClosed {
      isWriteClosed = true
      effects.append(.writeClosed)
    }
    advance()
  }

  /// Fails the queued writes, those after barriers among them.
  private mutating func failWrites(_ error: any Error) {
    while let write = popFirstWrite() { fail(.write(write), error) }
    let waiting = later.removeAll { if case .write = $0 { true } else { false } }
    for request in waiting { fail(request, error) }
  }

  /// Removes the first write.
  private mutating func popFirstWrite() -> Write? {
    taken = 0
    return writes.popFirst()
  }

  private mutating func succeed(_ write: Write) {
    if let completion = write.completion { effects.append(.written(completion, nil)) }
  }

  /// The next bytes to send, or the next signal for the connection.
  mutating func send(into buffer: UnsafeMutableRawBufferPointer) -> URLProtocolUpstream.Read {
    if isSecuring {
      isSecuring = false
      effects.append(.securing(false))
    }
    var count = 0
    var isDone = false
    while count < buffer.count, let write = writes.first {
      let start = write.data.startIndex + taken
      let length = min(buffer.count - count, write.data.count - taken)
      write.data.copyBytes(
        to: UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + length]), from: start..<start + length)
      count += length
      taken += length
      guard taken == write.data.count else { break }
      taken = 0
      _ = writes.popFirst()
      isDone = true
      succeed(write)
    }
    if isDone, writes.isEmpty, closesWhenWritten {
      closesWhenWritten = false
      perform(.closeWrite)
    }
    if isDone { advance() }
    if count > 0 { return .bytes(count) }
    // An empty write was the last thing before others.
    if isDone, !writes.isEmpty { return send(into: buffer) }
    switch signal {
    case .end?:
      signal = nil
      effects.append(.writeClosed)
      endIfClosed()
      advance()
      return .end
    case .secure?:
      signal = nil
      // Read later, it would pass for data that TLS has protected.
      guard input.isEmpty, !isInputOver else {
        effects.append(
          .end(
            URLError(
              .secureConnectionFailed,
              message:
                "The peer sent something in the clear that was not read before TLS was to begin, or closed the connection.",
              url: url)))
        return .wait
      }
      isSecuring = true
      effects.append(.securing(true))
      advance()
      return .secure
    default: return failure == nil ? .wait : .end
    }
  }

  /// The task has ended: nothing more is received or sent. Buffered input can be read.
  mutating func end(_ error: (any Error)?) {
    guard failure == nil else { return }
    if error == nil {
      isInputOver = true
      hasEndedWell = true
      completeReads()
    }
    let failure = error ?? closed
    self.failure = failure
    if error != nil, (error as? URLError)?.code == .cancelled {
      dropInput()
    }
    while let read = reads.popFirst() { fail(.read(read), failure) }
    while let write = popFirstWrite() { fail(.write(write), failure) }
    signal = nil
    while let request = later.popFirst() { fail(request, failure) }
  }

  private mutating func fail(_ request: Request, _ error: any Error) {
    switch request {
    case .read(let read): effects.append(.read(read.completion, nil, atEOF: false, error))
    case .write(let write):
      if let completion = write.completion { effects.append(.written(completion, error)) }
    case .barrier: break
    }
  }

  // MARK: Time

  /// Fails requests whose deadline has passed. A write that was sent in part ends the connection: the peer would take later bytes for its
  /// rest.
  mutating func look(at now: MonotonicInstant) {
    armed = .distantFuture
    guard failure == nil else { return }
    var next = MonotonicInstant.distantFuture
    func isLate(_ deadline: MonotonicInstant) -> Bool {
      if deadline > now { next = min(next, deadline) }
      return deadline <= now
    }
    // Requests after one whose deadline has passed fail with it.
    var isReadLate = false
    var isWriteLate = false
    func readFails(_ read: Read) -> Bool {
      isReadLate = isReadLate || isLate(read.deadline)
      return isReadLate
    }
    func writeFails(_ write: Write) -> Bool {
      isWriteLate = isWriteLate || isLate(write.deadline)
      return isWriteLate
    }
    for read in reads.removeAll(where: readFails) { fail(.read(read), timeout) }
    if let first = writes.first, first.deadline <= now, taken > 0 {
      effects.append(.end(timeout))
    } else {
      for write in writes.removeAll(where: writeFails) { fail(.write(write), timeout) }
    }
    let waiting = later.removeAll {
      switch $0 {
      case .read(let read): readFails(read)
      case .write(let write): writeFails(write)
      case .barrier: false
      }
    }
    arm(next)
    for request in waiting { fail(request, timeout) }
    advance()
  }

  private var timeout: URLError {
    URLError(.timedOut, message: "A read or a write of the stream was not done in time.", url: url)
  }
}
