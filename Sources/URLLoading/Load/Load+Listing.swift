internal import URLLoadingBase

/// The entries of a directory, which go to one reader.
extension Load {
  /// Takes entries from the protocol instance.
  func receive(_ entries: [URLDirectoryEntry], attempt: Int, isReplay: Bool = false) {
    let now = MonotonicInstant.now
    let cost = entries.reduce(0) { $0 + $1.cost }
    let (action, sink) = update { state -> (LoadMachine.DataAction, EntrySink?) in
      let action = state.machine.receivedEntries(attempt: attempt, isReplay: isReplay, at: now)
      switch action {
      case .deliver: state.apply(state.machine.buffered(cost))
      case .retain: state.attempt.retained.append(.entries(entries))
      case .ignore, .hold, .fail: break
      }
      return (action, state.entries)
    }
    switch action {
    case .ignore, .retain, .hold: break
    case .fail(let reason): abort(reason)
    case .deliver:
      if sink?.write(entries) != true { consumed(cost) }
    }
  }
}
