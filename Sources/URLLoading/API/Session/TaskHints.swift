/// The hints that a task's owner gives before the load; rarely used, so they are apart.
struct TaskHints: Sendable {
  var earliestBeginDate: Date?
  var expectedToSend = NSURLSessionTransferSizeUnknown
  var expectedToReceive = NSURLSessionTransferSizeUnknown
  /// Nil where the kind of task decides.
  var prefersIncrementalDelivery: Bool?
}

extension Load {
  func setHints(_ change: (inout TaskHints) -> Void) {
    update { state in
      var hints = state.hints ?? TaskHints()
      change(&hints)
      state.hints = hints
    }
    hintsChanged()
  }

  /// Whether the body goes to the owner as it comes. Only delegates of data and upload tasks get one in parts.
  var isIncremental: Bool { read { isIncremental($0) } }

  func isIncremental(_ state: borrowing State) -> Bool {
    if let preference = state.hints?.prefersIncrementalDelivery { return preference }
    switch plan.owner {
    case .delegate: return plan.kind != .download
    case .reader: return true
    case .handler, .waiter, .detached: return false
    }
  }
}
