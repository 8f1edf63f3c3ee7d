import Dispatch
internal import URLLoadingBase

/// Redraws the progress five times a second.
///
/// Mutable state: `state`, guarded by its lock.
final class ProgressDisplay: Sendable {
  private struct State {
    var timer: (any DispatchSourceTimer)?
    var block: ProgressBlock
  }

  private let loads: [LoadStatus]
  private let console: Console
  private let state: Locked<State>
  private let beginning = MonotonicInstant.now

  init(loads: [LoadStatus], console: Console) {
    self.loads = loads
    self.console = console
    state = Locked(State(block: ProgressBlock(count: loads.count)))
  }

  func start() {
    state.withLock { state in
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler { [weak self] in self?.draw() }
      timer.schedule(deadline: .now() + 0.1, repeating: 0.2)
      state.timer = timer
      timer.resume()
    }
  }

  /// Draws for the last time.
  func stop() {
    state.withLock { $0.timer?.cancel() }
    draw()
    console.endProgress()
  }

  private func draw() {
    let elapsed = beginning.seconds(to: .now)
    let size = Terminal.size
    let lines = state.withLock { state in
      state.block.lines(loads.map(\.snapshot), at: elapsed, columns: size.columns, rows: size.rows)
    }
    console.show(progress: lines)
  }
}
