internal import URLLoadingBase

/// Asks scripts, one question after the other, in a process of its own.
///
/// Mutable state: `running`, touched on the thread of `pool` alone, which has one at a time.
// Safe to share: the mutable state is guarded as said above; the pool's lock orders its threads.
final class PACEvaluator: @unchecked Sendable {
  private struct Running {
    let process: PACHelperProcess
    let script: String
  }

  private let pool = BlockingPool(name: "URLLoading PAC", maximumThreadCount: 1)
  private let tools: ProxyTools
  private var running: Running?

  init(_ tools: ProxyTools) {
    self.tools = tools
  }

  /// - Parameter take: gets what the script returns, on a thread that may block, within twice the time that one question has.
  func ask(
    _ question: PACQuestion, of script: String, _ take: @escaping @Sendable (Result<String, PACFailure>) -> Void
  ) {
    let deadline = MonotonicInstant.now.advanced(by: tools.scriptTimeLimit)
    pool.run { take(Result { () throws(PACFailure) in try self.find(question, script, until: deadline) }) }
  }

  /// Ends the process.
  func close() {
    pool.run { self.running = nil }
  }

  private func find(
    _ question: PACQuestion, _ script: String, until deadline: MonotonicInstant
  ) throws(PACFailure) -> String {
    let limit = tools.scriptTimeLimit
    // Others have used up the time.
    guard MonotonicInstant.now < deadline else { throw .timedOut(Double(limit.wholeNanoseconds) / 1e9) }
    do {
      return try answer(question, script, limit)
    } catch {
      // An error of the script is all that a process outlives.
      if case .script = error {} else { running = nil }
      throw error
    }
  }

  private func answer(_ question: PACQuestion, _ script: String, _ limit: Duration) throws(PACFailure) -> String {
    if let running, running.script == script {
      do {
        return try running.process.find(question, limit: limit)
      } catch {
        // Somebody may have ended it since it was last used: that is not the script's fault.
        guard case .ended(let signal) = error, signal != SIGXCPU else { throw error }
      }
    }
    running = nil
    guard let path = tools.findHelper() else {
      throw HelperProgram.pac.look().refusal.map { .unsafeHelper($0) } ?? .noHelper
    }
    let process = try PACHelperProcess(path: path, limit: limit)
    try process.load(script, limit: limit)
    running = Running(process: process, script: script)
    return try process.find(question, limit: limit)
  }
}
