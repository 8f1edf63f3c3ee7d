internal import URLLoadingBase

/// A load that needs none of the stages so far: a request, its response, the body and the end. A value that is fed events and answers with
/// actions, without I/O, clock or locks.
///
/// Speed-only: a small load by HTTP takes half of the instructions that ``Load/State`` takes it. The one door is ``Load/Storage``: what has
/// to know or to do more makes the whole state of this one first (`Load+Promotion.swift`), which is not used any more from then on.
struct DirectLoad: Sendable {
  private enum Phase { case unstarted, loading, finished, completed }

  /// What a load begins with.
  struct Start: Sendable {
    let protocolClass: URLProtocol.Type
    let source: any URLDirectLoad
    /// Retained by the session's registry until the load has ended.
    unowned(unsafe) let task: URLSessionTask
    let time: MonotonicInstant
  }

  private var phase = Phase.unstarted
  /// The request as a class is asked about it.
  private(set) var request: URLRequest?
  private(set) var start: Start?
  private(set) var response: URLResponse?
  private(set) var body = BodyBuffer()
  /// Bytes of the body that came.
  private(set) var received: Int64 = 0
  /// Bytes of the request's body that were sent.
  private(set) var sent: Int64 = 0
  /// Resumed at the end.
  private(set) var waiter: UnsafeContinuation<Void, Never>?
  /// Calls the completion handler at the end.
  private(set) var delivery: Delivery?
  private(set) var isWaiting = false
  private(set) var lastProgress = MonotonicInstant(nanoseconds: 0)
  /// When the session's timer looks at this load at the latest; nil when it need not.
  var announcedDeadline: MonotonicInstant?

  var hasBegun: Bool { phase != .unstarted }
  var hasFinished: Bool { phase == .finished || phase == .completed }
  var isCompleted: Bool { phase == .completed }

  /// The state of the task.
  var state: URLSessionTask.State {
    switch phase {
    case .unstarted: .suspended
    case .loading, .finished: .running
    case .completed: .completed
    }
  }

  // MARK: Beginning

  /// The classes are asked about a request.
  /// - Returns: whether the load may still begin.
  mutating func prepare(_ request: URLRequest) -> Bool {
    guard phase == .unstarted else { return false }
    self.request = request
    return true
  }

  /// - Parameters:
  ///   - request: as it is loaded.
  ///   - waiter: resumed at the end; nil where a handler is called.
  ///   - deadline: when the timer looks at the load at the latest.
  /// - Returns: whether the load begins.
  mutating func begin(
    _ request: URLRequest, _ start: Start, waiter: UnsafeContinuation<Void, Never>?, deadline: MonotonicInstant?
  ) -> Bool {
    guard phase == .unstarted else { return false }
    phase = .loading
    (self.start, self.waiter) = (start, waiter)
    self.request = request
    lastProgress = start.time
    announcedDeadline = deadline
    return true
  }

  // MARK: Events

  /// Whether an event had its effect here; else the whole load has it.
  enum EventAction { case done, promote }

  mutating func sent(_ total: Int64, at now: MonotonicInstant) -> EventAction {
    guard phase == .loading else { return .promote }
    sent = total
    lastProgress = now
    return .done
  }

  mutating func responded(_ response: URLResponse, at now: MonotonicInstant) -> EventAction {
    guard phase == .loading, self.response == nil else { return .promote }
    self.response = response
    body.begin(expectedLength: response.expectedContentLength)
    lastProgress = now
    return .done
  }

  /// - Returns: `promote` also where there is no memory for the bytes.
  mutating func received(_ bytes: UnsafeRawBufferPointer, at now: MonotonicInstant) -> EventAction {
    guard takesBody(at: now), body.append(bytes) else { return .promote }
    received += Int64(bytes.count)
    return .done
  }

  mutating func received(_ data: Data, at now: MonotonicInstant) -> EventAction {
    guard takesBody(at: now), body.keep(data) || data.withUnsafeBytes({ body.append($0) }) else { return .promote }
    received += Int64(data.count)
    return .done
  }

  private mutating func takesBody(at now: MonotonicInstant) -> Bool {
    guard phase == .loading, response != nil else { return false }
    lastProgress = now
    return true
  }

  /// The load begins or ends a wait that is not due to its peer.
  mutating func waits(_ waits: Bool, at now: MonotonicInstant) {
    isWaiting = waits
    lastProgress = now
  }

  enum FinishAction {
    case promote
    /// The function completes the load itself.
    case resume(UnsafeContinuation<Void, Never>)
    /// The handler completes it.
    case deliver(Delivery)
  }

  /// The body is whole.
  /// - Parameter makeDelivery: calls the handler.
  mutating func finished(_ makeDelivery: () -> Delivery) -> FinishAction {
    guard phase == .loading, response != nil else { return .promote }
    phase = .finished
    if let waiter = waiter.take() { return .resume(waiter) }
    let delivery = makeDelivery()
    self.delivery = delivery
    return .deliver(delivery)
  }

  // MARK: The end

  /// What an owner gets, and what has to be released outside of locks.
  struct Completion {
    let task: URLSessionTask
    let source: any URLDirectLoad
    let body: Data
    let response: URLResponse

    consuming func outcome() -> LoadPlan.Outcome {
      LoadPlan.Outcome(body: .data(body), response: response, error: nil)
    }
  }

  /// The owner takes the outcome, once; nil where the load has not ended so.
  mutating func complete() -> Completion? {
    guard phase == .finished, let response, let start = start.take() else { return nil }
    phase = .completed
    delivery = nil
    return Completion(task: start.task, source: start.source, body: body.take(), response: response)
  }

  /// The body goes to the whole load.
  mutating func takeBody() -> BodyBuffer { exchange(&body, with: BodyBuffer()) }

  /// A load that is released without an owner.
  mutating func release() { body.release() }

  // MARK: Time

  enum DeadlineAction { case passed, nothing, wait(until: MonotonicInstant) }

  /// Whether a deadline has passed, else the next one, as ``LoadMachine/checkDeadline(at:)`` has it.
  func checkDeadline(_ limits: LoadMachine.Limits, at now: MonotonicInstant) -> DeadlineAction {
    guard phase == .loading, let start else { return .nothing }
    return Self.deadline(limits, from: start.time, progress: isWaiting ? nil : lastProgress, at: now)
  }

  /// Whether the timer looks at this load before an idle timeout that begins now has passed. It may have looked while the load waited.
  func isLookedAt(in limits: LoadMachine.Limits, at now: MonotonicInstant) -> Bool {
    guard let limit = limits.idleNanoseconds else { return true }
    return announcedDeadline.map { $0 <= now.advanced(byNanoseconds: limit) } ?? false
  }

  /// - Parameter progress: when the peer has sent something last; nil where it is not waited for.
  static func deadline(
    _ limits: LoadMachine.Limits, from start: MonotonicInstant, progress: MonotonicInstant?, at now: MonotonicInstant
  ) -> DeadlineAction {
    var next = limits.resourceNanoseconds.map { start.advanced(byNanoseconds: $0) }
    if let progress, let limit = limits.idleNanoseconds {
      let idle = progress.advanced(byNanoseconds: limit)
      next = next.map { min($0, idle) } ?? idle
    }
    guard let next else { return .nothing }
    return next <= now ? .passed : .wait(until: next)
  }
}
