/// What the transfer service says to a program.
package enum BackgroundReport: Codable, Sendable {
  /// The answer to `hello`.
  /// - Parameters:
  ///   - version: the service's version of the protocol. Both sides use the smaller one.
  ///   - package: the service's version of the package.
  ///   - files: the directory where files of uploads are put.
  case welcome(version: Int, package: String, files: String)
  /// A task that the session has: before `attached`.
  case task(BackgroundTaskDescription, isSuspended: Bool)
  /// All tasks of the session were reported.
  /// - Parameter next: the smallest number that no task of the session has had.
  case attached(next: Int)
  /// All events that waited were reported.
  case caughtUp
  /// So much of the list was told: a program that has taken it says so.
  case piece(number: Int)
  /// What a command changed is on the disk.
  case done(number: Int)
  /// A command was not carried out.
  case refused(number: Int, code: Int, reason: String)
  case event(task: Int, BackgroundEvent)
  case resumeData(number: Int, Data?)
  case jobs(number: Int, [BackgroundJob])
  case limits(number: Int, BackgroundLimits)
}

/// What happens to a task.
package enum BackgroundEvent: Codable, Sendable {
  /// The request that is loaded by now, as ``BackgroundValues`` has it.
  case request(Data)
  case waitsForConnectivity
  /// The head of the response, as ``BackgroundValues`` has it.
  case response(Data)
  case resumed(offset: Int64, expected: Int64)
  case progress(BackgroundProgress)
  /// Takes the place of the question before, which needs no answer any more.
  case asks(question: Int, BackgroundQuestion)
  case ended(BackgroundOutcome)
}

/// How far a task is, in bytes.
package struct BackgroundProgress: Codable, Sendable, Hashable {
  package var received: Int64 = 0
  /// -1 when not known.
  package var expectedToReceive: Int64 = 0
  package var sent: Int64 = 0

  package init() {}
}

/// What came of a task.
package struct BackgroundOutcome: Codable, Sendable {
  /// The path of the file with the body; nil where there is none.
  package var file: String?
  /// Nil for a success.
  package var error: BackgroundFailure?
  /// The delegate has been given the file before, and knows no more of the end.
  package var tookFile = false
  package var progress = BackgroundProgress()
  /// For a later download or upload.
  package var resumeData: Data?
  /// Nil where there was no transfer.
  package var metrics: BackgroundMetrics?

  package init() {}
}
