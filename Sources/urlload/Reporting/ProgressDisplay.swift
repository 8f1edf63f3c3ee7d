import Dispatch
internal import URLLoadingBase

/// Redraws the line of progress five times a second.
///
/// Mutable state: `state`, guarded by its lock.
final class ProgressDisplay: Sendable {
  private struct State {
    var timer: (any DispatchSourceTimer)?
    var meter = RateMeter()
  }

  private let loads: [LoadStatus]
  private let console: Console
  private let state = Locked(State())
  private let beginning = ContinuousClock.now

  init(loads: [LoadStatus], console: Console) {
    self.loads = loads
    self.console = console
  }

  func start() {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { [weak self] in self?.draw() }
    timer.schedule(deadline: .now() + 0.1, repeating: 0.2)
    state.withLock { $0.timer = timer }
    timer.resume()
  }

  /// Draws for the last time.
  func stop() {
    state.withLock { $0.timer?.cancel() }
    draw()
    console.endProgress()
  }

  private func draw() {
    let snapshots = loads.map(\.snapshot)
    var line = Self.line(for: snapshots)
    let elapsed = beginning.duration(to: .now) / .seconds(1)
    line.rate = state.withLock { state in
      state.meter.add(line.done, at: elapsed)
      return state.meter.rate
    }
    console.show(progress: line.text(width: Terminal.width - 1))
  }

  /// The line for one load, or the sum of several.
  static func line(for loads: [LoadStatus.Snapshot]) -> ProgressLine {
    if loads.count == 1 {
      return ProgressLine(label: loads[0].name, done: loads[0].done, total: loads[0].total, rate: nil)
    }
    let ended = loads.count { $0.hasEnded }
    let done = loads.reduce(0) { $0 + $1.done }
    let total = loads.allSatisfy { $0.total != nil } ? loads.reduce(0) { $0 + ($1.total ?? 0) } : nil
    return ProgressLine(label: "\(ended) of \(loads.count) files", done: done, total: total, rate: nil)
  }
}
