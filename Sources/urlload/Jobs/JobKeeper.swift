import Foundation
import URLLoading

/// Carries `urlload jobs` out.
struct JobKeeper: Runnable {
  let command: JobsCommand
  let console: Console

  func run() async -> ExitReason {
    do {
      switch command.action {
      case .list: try list()
      case .cancel: for number in command.numbers { try control().cancel(number) }
      case .retry: for number in command.numbers { try control().retry(number) }
      case .forget: FailedJobs().forget()
      case .limits: try showLimits()
      case .take, .wait: return await take()
      }
      return .success
    } catch let failure as Failure {
      if failure.reason != .outputClosed { console.failure(failure) }
      return failure.reason
    } catch {
      console.failure(
        Failure(.other, SafeText.sentence(error.localizedDescription), advice: "urlload jobs shows what there is"))
      return .other
    }
  }

  /// One whose socket was removed listens again in a moment.
  private func control() throws -> BackgroundControl { try BackgroundControl(patience: .seconds(5)) }

  private func list() throws {
    var jobs: [BackgroundJob] = []
    do { jobs = try control().jobs() } catch let error as URLError
      where error.code == .backgroundSessionWasDisconnected && BackgroundServicePlace.current.serviceProcess == nil
    {
      // Nobody has anything to load, or the service would run.
      if !command.json { console.line("urlload: no service runs: nothing is being loaded in the background") }
    }
    for job in jobs { try write(command.json ? JobText.json(job) : JobText.line(job)) }
    for job in FailedJobs().all { try write(command.json ? JobText.json(job) : JobText.line(job)) }
  }

  private func showLimits() throws {
    let limits = try control().set(
      BackgroundLimits(
        transfers: command.transfers, transfersPerHost: command.perHost, bytesPerSecond: command.rate,
        freeSpace: command.freeSpace))
    let lines = [
      "transfers  \(limits.transfers ?? 0)", "per-host   \(limits.transfersPerHost ?? 0)",
      "rate       \(limits.bytesPerSecond ?? 0)", "free-space \(limits.freeSpace ?? 0)",
    ]
    try write(lines.joined(separator: "\n"))
  }

  private func write(_ text: String) throws(Failure) {
    try DescriptorWriter.write(Data("\(text)\n".utf8), to: STDOUT_FILENO, "standard output")
  }

  private func take() async -> ExitReason {
    let taker = BackgroundTaker(console: console, isQuiet: false)
    let session: URLSession
    do throws(Failure) { session = try await BackgroundSessions.open(nil, taker) } catch {
      console.failure(error)
      return error.reason
    }
    if command.action == .wait { await taker.waitForAll(of: session) } else { await taker.waitForEvents(of: session) }
    await session.leaveBackground()
    return !taker.failedTasks.isEmpty ? .broken : .success
  }
}
