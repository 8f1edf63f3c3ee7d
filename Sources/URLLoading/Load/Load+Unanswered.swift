/// Protocol classes that send a body ahead of its response, or without one, as classes for tests do. What came is held until it is known
/// which.
extension Load {
  /// The instance has finished without a response: that is an end without an error, where the owner needs none.
  func finishUnanswered(attempt: Int, isReplay: Bool) {
    let isRefused: Bool
    switch plan.owner {
    case .delegate, .handler: isRefused = plan.kind.isDuplex || plan.isResumption
    case .waiter, .reader, .detached: isRefused = true
    }
    guard !isRefused else { return abort(.noResponse) }
    guard passHeldBytes(attempt: attempt, isReplay: isReplay, evenNone: true) else { return }
    receive(.finished, attempt: attempt, isReplay: isReplay)
  }

  /// Passes on what is held, and gives up to wait for a response.
  /// - Parameter evenNone: whether that is so also where nothing is held.
  @discardableResult
  func passHeldBytes(attempt: Int, isReplay: Bool, evenNone: Bool = false) -> Bool {
    let held = update { state -> Data? in
      guard evenNone || !state.attempt.held.isEmpty,
        state.machine.unanswered(attempt: attempt, isReplay: isReplay)
      else { return nil }
      var held = Data()
      swap(&held, &state.attempt.held)
      return held
    }
    guard let held else { return false }
    if !held.isEmpty { receive(held, attempt: attempt, isReplay: isReplay) }
    return true
  }
}
