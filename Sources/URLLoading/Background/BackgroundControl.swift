/// Asks the transfer service what it does, and tells it what to do, for people. Its calls block.
package struct BackgroundControl {
  private let socket: BackgroundSocket

  /// Connects to the service of this process's user, unless another place is given.
  /// - Throws: `URLError`, also where no service runs: then nothing is loaded.
  package init(at place: BackgroundServicePlace = .current) throws {
    do { socket = try BackgroundSocket(to: place) } catch { throw error.error(for: nil) }
    _ = try ask(.hello(version: BackgroundWire.version, package: "0", program: nil)) { report in
      if case .welcome = report { true } else { nil }
    }
  }

  /// What every program of the user has in the queue, in its order.
  package func jobs() throws -> [BackgroundJob] {
    var all: [BackgroundJob] = []
    return try ask(.jobs) { report in
      guard case .jobs(_, let batch) = report else { return nil }
      all += batch
      // The last batch is empty.
      return batch.isEmpty ? all : nil
    }
  }

  package func cancel(_ job: Int) throws { try carryOut(.cancelJob(job)) }

  package func retry(_ job: Int) throws { try carryOut(.retryJob(job)) }

  /// - Returns: the limits as they are by then.
  package func set(_ limits: BackgroundLimits) throws -> BackgroundLimits {
    try ask(.limits(limits)) { report in if case .limits(_, let limits) = report { limits } else { nil } }
  }

  private func carryOut(_ command: BackgroundCommand) throws {
    _ = try ask(command) { report in if case .done = report { true } else { nil } }
  }

  private func ask<Answer>(_ command: BackgroundCommand, _ read: (BackgroundReport) -> Answer?) throws -> Answer {
    guard let bytes = BackgroundFrames.encoded(NumberedCommand(number: 1, command: command)), socket.send(bytes) else {
      throw URLError(.backgroundSessionWasDisconnected)
    }
    while let report = socket.receive() {
      if case .refused(_, let code, let reason) = report {
        throw URLError(URLError.Code(rawValue: code) ?? .unknown, message: reason, url: nil)
      }
      if let answer = read(report) { return answer }
    }
    throw URLError(.backgroundSessionWasDisconnected)
  }
}
