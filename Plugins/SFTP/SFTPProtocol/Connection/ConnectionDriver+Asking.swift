import Foundation
import Glibc
internal import URLLoadingBase
internal import URLLoadingCSSH2

/// Questions and work that the connection's thread does not wait for.
extension ConnectionDriver {
  /// Asks a question, one at a time. The deadline stands still until the answer.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable () async -> Answer,
    _ then: @escaping @Sendable (ConnectionDriver, Answer) -> Void
  ) {
    let connection = connection
    machine.askedQuestion()
    deadline.runs(machine.deadlineRuns)
    self.question = Task {
      let answer = await question()
      connection.post { driver in
        driver.question = nil
        driver.machine.gotAnswer()
        driver.deadline.runs(driver.machine.deadlineRuns)
        if driver.machine.phase != .closed { then(driver, answer) }
      }
    }
  }

  /// Runs work that may block on a thread of its own. The deadline keeps running.
  func help<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, _ then: @escaping @Sendable (ConnectionDriver, Result) -> Void
  ) {
    let connection = connection
    BlockingThread.run(name: "SSH helper") {
      let result = work()
      connection.post { driver in
        if driver.machine.phase != .closed { then(driver, result) }
      }
    }
  }

  /// Asks a question and blocks, since libssh2's callback has to return the answer. Nil also where the connection ends first.
  func waitForAnswer<Answer: Sendable>(_ question: @escaping @Sendable () async -> Answer?) -> Answer? {
    let answer = Locked<Answer??>(nil)
    ask(question) { _, result in answer.withLock { $0 = .some(result) } }
    while machine.phase != .closed {
      for work in connection.takeWork() { work(self) }
      if let answer = answer.withLock({ $0 }) { return answer }
      var descriptors = [
        pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: socket, events: Int16(cssh2_poll_peer_closed), revents: 0),
      ]
      guard machine.phase != .closed else { break }
      ExitGate.shared.outside { _ = poll(&descriptors, 2, -1) }
      if descriptors[1].revents != 0 {
        fail(SSHFailure(.connectionLost, "\(options.server) closed the connection while \(machine.phase.name)"))
      }
    }
    return nil
  }

  /// Calls `body` if the login is still under way.
  func withLogin(_ body: (LoginDriver) -> Void) {
    if machine.phase == .loggingIn, let login { body(login) }
  }
}
