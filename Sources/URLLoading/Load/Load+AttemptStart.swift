internal import URLLoadingBase

/// How an attempt begins: with an instance of the class that was chosen, or with one that sends what a cache has stored.
extension Load {
  /// What is to be loaded, once a class was chosen.
  struct PreparedAttempt: Sendable {
    var request: URLRequest
    let protocolClass: URLProtocol.Type
    let rangeOffset: Int64?
    let attempt: Int
    /// Whether the request is another one than the attempt's by now: fields were added for the cache.
    var isChanged = false
  }

  /// An instance to start, see ``State/begin(_:)``.
  struct AttemptStart: Sendable {
    let prepared: PreparedAttempt
    let driver: ProtocolDriver
    /// Whether the instance sends what a cache has stored.
    let isStored: Bool
  }

  /// Starts an instance, see ``State/begin(_:)``.
  /// - Parameter start: nil where the attempt does not begin now.
  func open(_ start: AttemptStart?) {
    guard let start else { return }
    update { $0.begin(start) }
  }

  /// Makes an instance of the class that was chosen.
  /// - Parameters:
  ///   - caching: the attempt's cache state; nil if it does not use the cache.
  ///   - stored: a response that the instance may use or validate.
  /// - Returns: nil where the load has ended meanwhile.
  func attemptStart(
    _ prepared: consuming PreparedAttempt, _ caching: AttemptCaching? = nil, stored: CachedURLResponse? = nil
  ) -> AttemptStart? {
    let fields = addListenerFields(to: &prepared)
    let (request, attempt, isChanged) = (prepared.request, prepared.attempt, prepared.isChanged)
    let task = update { state -> URLSessionTask? in
      guard state.machine.attempt == attempt else { return nil }
      state.attempt.listenerFields = fields
      // Instances are made for the task's current request.
      if isChanged || caching?.conditions.isEmpty == false { state.attempt.request = request }
      // A cancel may have come meanwhile: others must not wait for this load.
      guard state.ending.error == nil, state.machine.state != .completed else { return nil }
      state.attempt.cache.begin(caching)
      return state.task
    }
    guard let task else { return nil }
    let gate = URLProtocolGate()
    let client = LoadClient(
      load: self, attempt: attempt, gate: gate, mayWait: ProtocolDriver.blocks(prepared.protocolClass))
    let instance = prepared.protocolClass.init(task: task, cachedResponse: stored, client: client)
    return attemptStart(prepared, with: instance, gate)
  }

  /// Asks the listener for fields of the request, right before it is loaded.
  private func addListenerFields(to prepared: inout PreparedAttempt) -> ListenerFields {
    guard let events, let task = read({ $0.task }) else { return ListenerFields() }
    let added = events.fields(of: task, for: prepared.request)
    guard !added.isEmpty, prepared.request.urlFacts.speaksHTTP else { return ListenerFields() }
    prepared.isChanged = true
    return ListenerFields(added, to: &prepared.request)
  }

  /// - Parameter isStored: whether the instance sends what a cache has stored.
  func attemptStart(
    _ prepared: consuming PreparedAttempt, with instance: URLProtocol, _ gate: URLProtocolGate, isStored: Bool = false
  ) -> AttemptStart {
    if instance.task == nil { instance.task = read { $0.task } }
    return AttemptStart(prepared: prepared, driver: ProtocolDriver(instance, gate: gate), isStored: isStored)
  }
}
