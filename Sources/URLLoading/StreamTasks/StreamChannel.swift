internal import URLLoadingBase

/// Carries out the effects of a ``StreamMachine``: between a stream task's owner and its load.
///
/// Mutable state: `references`, guarded by its lock; the machine's is its runner's.
final class StreamChannel: DuplexSink, DeadlineHolder {
  private struct References {
    weak var load: Load?
    /// The streams that have captured the connection.
    weak var streams: CapturedStreams?
  }

  private let runner: EffectRunner<StreamMachine>
  private let references = Locked(References())
  /// The source of the bytes to send; made once, because its observer is set by the instance.
  let upstream: URLProtocolUpstream

  /// - Parameter isWritable: false for the rest of a data task's body.
  init(url: URL?, isWritable: Bool = true) {
    runner = EffectRunner(StreamMachine(url: url, isWritable: isWritable))
    let channel = Locked(WeakChannel())
    upstream = URLProtocolUpstream { buffer in
      channel.withLock { $0.channel }?.send(into: buffer) ?? .end
    } onInputEnd: {
      channel.withLock { $0.channel }?.update { $0.inputEnded() }
    } onOutputFailure: { error in
      channel.withLock { $0.channel }?.update { $0.outputFailed(error) }
    }
    channel.withLock { $0.channel = self }
  }

  private struct WeakChannel { weak var channel: StreamChannel? }

  func attach(to load: Load) { references.withLock { $0.load = load } }

  private var load: Load? { references.withLock { $0.load } }

  // MARK: Requests of the owner

  func read(
    minimum: Int, maximum: Int, timeout: TimeInterval, by caller: StreamCaller? = nil,
    _ completion: @escaping StreamMachine.ReadCompletion
  ) {
    let deadline = Self.deadline(timeout)
    let caller = caller.map { ObjectIdentifier($0) }
    update { $0.read(minimum: minimum, maximum: maximum, deadline: deadline, by: caller, completion) }
  }

  func write(
    _ data: Data, timeout: TimeInterval, by caller: StreamCaller? = nil,
    _ completion: @escaping StreamMachine.WriteCompletion
  ) {
    let deadline = Self.deadline(timeout)
    let caller = caller.map { ObjectIdentifier($0) }
    update { $0.write(data, deadline: deadline, by: caller, completion) }
  }

  /// Withdraws a caller's requests.
  func withdraw(by caller: StreamCaller) { update { $0.withdraw(by: ObjectIdentifier(caller)) } }

  func barrier(_ barrier: StreamMachine.Barrier) { update { $0.barrier(barrier) } }

  /// Reads the state of the machine without blocking.
  func look<Result>(_ body: (StreamMachine) -> sending Result) -> sending Result { runner.read(body) }

  /// 0 is no timeout, as documented. What is not a number is not one that could be waited for: the request ends, rather than never.
  private static func deadline(_ timeout: TimeInterval) -> MonotonicInstant {
    if timeout.isNaN { return .now }
    return timeout > 0 && timeout < 1e9 ? .now.advanced(by: .seconds(timeout)) : .distantFuture
  }

  // MARK: The load's side

  var holdsBytes: Bool { true }

  func open(_ response: URLResponse, of load: Load) throws {}

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    update { $0.take(bytes) }
  }

  /// A connection that the peer has closed, whether output was closed before or not, was shut down gracefully.
  func connectionEnded(_ error: (any Error)?) -> (any Error)? { error }

  func end(_ error: (any Error)?, then last: @escaping @Sendable () -> Void) -> Bool {
    update(then: last) { $0.end(error) }
    return true
  }

  /// A task that is suspended sends nothing; the load announces when it is resumed.
  private func send(into buffer: UnsafeMutableRawBufferPointer) -> URLProtocolUpstream.Read {
    if load?.read({ $0.machine.isSuspended }) == true { return .wait }
    return update { $0.send(into: buffer) }
  }

  func checkDeadlines(at now: MonotonicInstant) { update { $0.look(at: now) } }

  // MARK: Effects

  @discardableResult
  private func update<Result>(
    then last: (@Sendable () -> Void)? = nil, _ change: (inout StreamMachine) -> sending Result
  ) -> sending Result {
    let result = runner.update(change, carryingOut: carryOut, then: last)
    references.withLock { $0.streams }?.notify()
    return result
  }

  private func carryOut(_ effect: StreamMachine.Effect) {
    switch effect {
    case .read(let completion, let data, let atEOF, let error): completion(data, atEOF, error)
    case .written(let completion, let error): completion(error)
    case .announce: upstream.announce()
    case .consumed(let count): load?.consumed(count)
    case .look(let deadline): load?.session.deadlines.look(by: deadline, for: self)
    case .securing(let isSecuring): load?.securing(isSecuring)
    case .readClosed:
      load?.tell(.readClosed, \.stream, of: URLSessionStreamTask.self) { $0.urlSession($1, readClosedFor: $2) }
    case .writeClosed:
      load?.tell(.writeClosed, \.stream, of: URLSessionStreamTask.self) { $0.urlSession($1, writeClosedFor: $2) }
    case .captured:
      let streams = CapturedStreams(self)
      references.withLock { $0.streams = streams }
      load?.tell(.streams, \.stream, of: URLSessionStreamTask.self) {
        $0.urlSession(
          $1, streamTask: $2, didBecome: streams.makeInput(), outputStream: streams.makeOutput())
      }
    case .end(let error): load?.endDuplex(error)
    }
  }
}
