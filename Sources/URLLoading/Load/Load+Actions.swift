internal import URLLoadingBase

/// Carries out the actions of the machine that several events have in common: in two halves, one under the lock, and one after it.
extension Load.State {
  /// Keeps an event of the instance where the machine wants that.
  /// - Returns: whether the event has its effect now.
  mutating func passes(_ action: LoadMachine.EventAction, _ event: @autoclosure () -> Attempt.Event) -> Bool {
    switch action {
    case .deliver, .finish: return true
    case .retain: attempt.retained.append(event())
    case .hold: if case .data(let data) = event() { attempt.held.append(data) }
    case .ignore, .finishUnanswered, .fail: break
    }
    return false
  }

  /// Closes the gate for a decision.
  /// - Returns: whether somebody is asked.
  mutating func asks(_ action: LoadMachine.QuestionAction) -> Bool {
    guard case .ask(let flow) = action else { return false }
    apply(flow)
    return true
  }
}

extension Load {
  /// Ends the load where an event makes it end at once.
  /// - Returns: whether the event has its effect now.
  func passes(_ action: LoadMachine.EventAction, attempt: Int, isReplay: Bool) -> Bool {
    switch action {
    case .deliver, .finish: return true
    case .ignore, .retain, .hold: break
    case .finishUnanswered: finishUnanswered(attempt: attempt, isReplay: isReplay)
    case .fail(let reason): abort(reason)
    }
    return false
  }

  /// Ends the load where there may be no question.
  /// - Parameter target: where a redirect leads.
  /// - Returns: whether somebody is asked.
  func asks(_ action: LoadMachine.QuestionAction, redirectedTo target: URL? = nil) -> Bool {
    switch action {
    case .ignore: return false
    case .ask: return true
    case .fail(let reason):
      abort(reason, redirectedTo: target)
      return false
    }
  }
}
