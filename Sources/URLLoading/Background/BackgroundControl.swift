internal import URLLoadingBase

/// Asks the transfer service what it does, and tells it what to do, for people. Its calls block.
package struct BackgroundControl {
  /// Seconds that an answer may take.
  private static let limit = 10

  private let socket: BackgroundSocket
  private let place: BackgroundServicePlace

  /// Connects to the service of this process's user, unless another place is given.
  /// - Parameter patience: how long a service that runs may take to listen, as one does again whose socket was removed.
  /// - Throws: `URLError`, also where no service runs: then nothing is loaded.
  package init(at place: BackgroundServicePlace = .current, patience: Duration = .zero) throws {
    self.place = place
    socket = try Self.connect(to: place, until: .now.advanced(by: patience))
    _ = try ask(.hello(version: BackgroundWire.version, package: "0", program: nil)) { report in
      if case .welcome = report { true } else { nil }
    }
  }

  private static func connect(
    to place: BackgroundServicePlace, until end: MonotonicInstant
  ) throws -> BackgroundSocket {
    while true {
      do { return try BackgroundSocket(to: place, patience: limit) } catch {
        guard let process = place.serviceProcess else { throw error.error(for: nil) }
        guard MonotonicInstant.now < end else {
          throw BackgroundServiceError.unreachable(process: process, path: place.socketPath).error(for: nil)
        }
        usleep(100_000)
      }
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
      throw silence
    }
    while let report = socket.receive() {
      if case .refused(_, let code, let reason) = report {
        throw URLError(URLError.Code(rawValue: code) ?? .unknown, message: reason, url: nil)
      }
      if let answer = read(report) { return answer }
    }
    throw silence
  }

  /// Why there is no answer.
  private var silence: URLError {
    let error: BackgroundServiceError =
      place.serviceProcess.map { .unreachable(process: $0, path: place.socketPath) }
      ?? .noAnswer(reason: "it has ended the connection")
    return error.error(for: nil)
  }
}
