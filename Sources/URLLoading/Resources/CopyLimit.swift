internal import URLLoadingBase

/// How many copies of a session load from servers at once: each holds a connection or an open file of its source until its target has taken all,
/// and servers have few of these.
///
/// Mutable state: `state`, guarded by its lock.
final class CopyLimit: URLSessionComponent {
  private struct State {
    var free: Int
    var nextNumber = 0
    /// Those that wait, in their order, by their numbers.
    var waiting: [(number: Int, continuation: UnsafeContinuation<Bool, Never>)] = []
  }

  /// Half of the files that an SFTP server has open at once where it does not tell more.
  static let count = 32

  private let state = Locked(State(free: count))

  init(configuration: URLSessionConfiguration) {}
  func flush() {}
  func invalidate() {}

  /// Calls a function when its turn has come.
  /// - Throws: `CancellationError` where the task is cancelled ahead of that, and what the function throws.
  func run<Result>(_ work: () async throws -> Result) async throws -> Result {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let isDue = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let isDue = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          guard state.free == 0 else {
            state.free -= 1
            return true
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let isDue { continuation.resume(returning: isDue) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
      }
      waiting?.resume(returning: false)
    }
    guard isDue else { throw CancellationError() }
    defer { leave() }
    return try await work()
  }

  private func leave() {
    let next = state.withLock { state -> UnsafeContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
