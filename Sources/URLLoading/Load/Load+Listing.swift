internal import URLLoadingBase

/// The entries of a directory, which go to one reader.
extension Load {
  /// Takes entries from the protocol instance.
  func receive(_ entries: [URLDirectoryEntry], attempt: Int, isReplay: Bool = false) {
    let now = MonotonicInstant.now
    let cost = entries.reduce(0) { $0 + $1.cost }
    let (action, sink) = update { state -> (LoadMachine.EventAction, EntrySink?) in
      let action = state.machine.receivedEntries(attempt: attempt, isReplay: isReplay, at: now)
      if state.passes(action, .entries(entries)) { state.apply(state.machine.buffered(cost)) }
      return (action, state.entries)
    }
    guard passes(action, attempt: attempt, isReplay: isReplay) else { return }
    if sink?.write(entries) != true { consumed(cost) }
  }
}
