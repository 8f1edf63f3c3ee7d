/// What a program says to the transfer service; <doc:Architecture> has the protocol.
package enum BackgroundCommand: Codable, Sendable {
  /// The first command of a connection.
  /// - Parameter program: the service that the sender would start; an older one makes room for it.
  case hello(version: Int, package: String, program: String?)
  /// The connection is that of a session from now on.
  case attach(session: BackgroundSessionDescription)
  case create(task: BackgroundTaskDescription)
  case resume(task: Int)
  case suspend(task: Int)
  /// A task that ends without an event: its program tells its delegate.
  case cancel(task: Int, wantsResumeData: Bool)
  case update(task: Int, BackgroundTaskHints)
  /// The delegate has what it wants of the file.
  case tookFile(task: Int)
  /// The delegate knows of the end.
  case tookEnd(task: Int)
  case answer(question: Int, BackgroundAnswer)
  /// A piece of the list was taken, and all before it. Has no answer.
  case tookPiece(number: Int)
  /// What every program of the user has in the queue.
  case jobs
  case cancelJob(Int)
  case retryJob(Int)
  /// Sets the limits that are given, and asks for all.
  case limits(BackgroundLimits)
}

/// A command with its number, which the answer repeats.
package struct NumberedCommand: Codable, Sendable {
  package var number: Int
  package var command: BackgroundCommand

  package init(number: Int, command: BackgroundCommand) {
    self.number = number
    self.command = command
  }
}
