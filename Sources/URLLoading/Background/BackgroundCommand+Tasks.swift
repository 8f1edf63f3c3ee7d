/// What a command has to do with a task.
extension BackgroundCommand {
  /// The task that the command makes.
  var createdTask: BackgroundTaskDescription? { if case .create(let task) = self { task } else { nil } }

  /// The task that the command is about.
  var subject: Int? {
    switch self {
    case .create(let task): task.identifier
    case .resume(let task), .suspend(let task), .cancel(let task, _), .update(let task, _), .tookFile(let task),
      .tookEnd(let task):
      task
    default: nil
    }
  }

  /// Whether somebody who asks for the session's tasks, or exits, waits for the answer: a task is the service's from then on.
  var isWaitedFor: Bool {
    switch self {
    case .create, .resume, .suspend, .update, .cancel(_, wantsResumeData: false): true
    default: false
    }
  }

  /// The task that its program wants nothing of any more.
  var endedTask: Int? {
    switch self {
    case .tookEnd(let task), .cancel(let task, _): task
    default: nil
    }
  }
}
