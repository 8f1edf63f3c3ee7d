/// What a scheduler is to run.
// Safe to carry to another thread: it runs there alone, and Combine's contract is that whoever schedules it does not use what it
// captures at the same time. OpenCombine's protocol cannot say so: it is older than `Sendable`.
struct ScheduledAction: @unchecked Sendable {
  private let action: () -> Void

  init(_ action: @escaping () -> Void) {
    self.action = action
  }

  func run() { action() }
}
