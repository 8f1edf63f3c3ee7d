/// Something that happens once, which tests and scripts await.
package final class AsyncEvent: Sendable {
  private let happened = Watched(false)

  /// An event that has not happened yet.
  package init() {}

  /// Whether the event has happened.
  package var isSignalled: Bool { happened.value }

  /// Makes the event happen. Later calls have no effect.
  package func signal() {
    happened.update { $0 = true }
  }

  /// Waits for the event; false if it did not happen in time.
  package func wait(timeout: Duration = .seconds(60)) async -> Bool {
    await happened.wait(timeout: timeout) { $0 }
  }

  /// Waits on the calling thread, for scripts of `ScriptedServer`; false if the event did not happen in time.
  package func waitBlocking(timeout: Duration = .seconds(60)) -> Bool {
    happened.waitBlocking(timeout: timeout) { $0 }
  }
}
