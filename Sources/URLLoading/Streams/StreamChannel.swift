internal import Dispatch
internal import URLLoadingBase

/// Carries out what a ``StreamMachine`` decides: between a stream task's owner and its load.
///
/// Effects are carried out after the lock, by one thread at a time, in their order.
///
/// Mutable state: `state`, guarded by its lock.
final class StreamChannel: DuplexSink {
  private struct State {
    var machine: StreamMachine
    weak var load: Load?
    /// A thread is carrying effects out, and will see those that come meanwhile.
    var isCarryingOut = false
    /// The streams that the connection was handed to.
    weak var captured: CapturedStreams?
  }

  private let state: Locked<State>
  /// Reads what is to be sent; made once, because its observer is set by the instance.
  let upstream: URLProtocolUpstream

  /// - Parameter isWritable: false for the rest of a data task's body.
  init(url: URL?, isWritable: Bool = true) {
    state = Locked(State(machine: StreamMachine(url: url, isWritable: isWritable)))
    let channel = Locked(WeakChannel())
    upstream = URLProtocolUpstream { buffer in
      channel.withLock { $0.channel }?.send(into: buffer) ?? .end
    } onInputEnd: {
      channel.withLock { $0.channel }?.update { $0.inputEnded() }
    }
    channel.withLock { $0.channel = self }
  }

  private struct WeakChannel { weak var channel: StreamChannel? }

  func attach(to load: Load) {
    state.withLock { $0.load = load }
  }

  // MARK: Requests of the owner

  func read(
    minimum: Int, maximum: Int, timeout: TimeInterval, _ completion: @escaping StreamMachine.ReadCompletion
  ) {
    let deadline = Self.deadline(timeout)
    update { $0.read(minimum: minimum, maximum: maximum, deadline: deadline, completion) }
  }

  func write(_ data: Data, timeout: TimeInterval, _ completion: @escaping StreamMachine.WriteCompletion) {
    let deadline = Self.deadline(timeout)
    update { $0.write(data, deadline: deadline, completion) }
  }

  func barrier(_ barrier: StreamMachine.Barrier) { update { $0.barrier(barrier) } }

  /// What the streams ask for without waiting.
  func look<Result>(_ body: (StreamMachine) -> Result) -> Result { state.withLock { body($0.machine) } }

  /// 0 is no timeout, as documented.
  private static func deadline(_ timeout: TimeInterval) -> MonotonicInstant {
    timeout > 0 && timeout < 1e9 ? .now.advanced(by: .seconds(timeout)) : .distantFuture
  }

  // MARK: The load's side

  var holdsBytes: Bool { true }

  func open(_ response: URLResponse) throws {}

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    let waits = update { $0.take(bytes) }
    return waits
  }

  /// A connection that the peer has closed, with ours closed before or not, has ended as it should.
  func connectionEnded(_ error: (any Error)?) -> (any Error)? { error }

  func end(_ error: (any Error)?) {
    update { $0.end(error) }
    state.withLock { $0.captured }?.notify()
  }

  private func send(into buffer: UnsafeMutableRawBufferPointer) -> URLProtocolUpstream.Read {
    update { $0.send(into: buffer) }
  }

  // MARK: Effects

  @discardableResult
  private func update<Result>(_ change: (inout StreamMachine) -> Result) -> Result {
    let result = state.withLock { change(&$0.machine) }
    carryOut()
    return result
  }

  private func carryOut() {
    while true {
      let (effects, load) = state.withLock { state -> ([StreamMachine.Effect], Load?) in
        guard !state.isCarryingOut else { return ([], nil) }
        let effects = state.machine.takeEffects()
        state.isCarryingOut = !effects.isEmpty
        return (effects, state.load)
      }
      guard !effects.isEmpty else { break }
      for effect in effects { carryOut(effect, load) }
      state.withLock { $0.isCarryingOut = false }
    }
    state.withLock { $0.captured }?.notify()
  }

  private func carryOut(_ effect: StreamMachine.Effect, _ load: Load?) {
    switch effect {
    case .read(let completion, let data, let atEOF, let error): completion(data, atEOF, error)
    case .written(let completion, let error): completion(error)
    case .announce: upstream.announce()
    case .consumed(let count): load?.consumed(count)
    case .look(let deadline):
      let delay = max(0, deadline.nanoseconds - MonotonicInstant.now.nanoseconds)
      DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: delay))) { [weak self] in
        self?.update { $0.look(at: .now) }
      }
    case .readClosed: load?.tellStream(.readClosed) { $0.urlSession($1, readClosedFor: $2) }
    case .writeClosed: load?.tellStream(.writeClosed) { $0.urlSession($1, writeClosedFor: $2) }
    case .captured:
      let captured = CapturedStreams(self)
      state.withLock { $0.captured = captured }
      load?.tellStream(.streams) {
        $0.urlSession($1, streamTask: $2, didBecome: captured.makeInput(), outputStream: captured.makeOutput())
      }
    case .end(let error): load?.endDuplex(error)
    }
  }
}

extension Load {
  /// Calls the task's delegate behind what was delivered before.
  fileprivate func tellStream(
    _ method: DelegateMethod,
    _ call: @escaping @Sendable (any URLSessionStreamDelegate, URLSession, URLSessionStreamTask) -> Void
  ) {
    let (delegates, task, delivery) = read { ($0.delegates.stream, $0.task as? URLSessionStreamTask, $0.delivery) }
    guard let delegates, let task, let delivery, !delegates.lacks(method) else { return }
    delivery.add { delegates.tell(method) { call($0, self.session, task) } }
  }
}
