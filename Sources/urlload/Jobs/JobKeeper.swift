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
      case .cancel: for number in command.numbers { try BackgroundControl().cancel(number) }
      case .retry: for number in command.numbers { try BackgroundControl().retry(number) }
      case .limits: try showLimits()
      case .take, .wait: return await take()
      }
      return .success
    } catch {
      console.failure(
        Failure(.other, SafeText.sentence(error.localizedDescription), advice: "urlload jobs shows what there is"))
      return .other
    }
  }

  private func list() throws {
    let jobs: [BackgroundJob]
    do { jobs = try BackgroundControl().jobs() } catch let error as URLError
      where error.code == .backgroundSessionWasDisconnected
    {
      // Nobody has anything to load, or the service would run.
      return command.json ? () : console.line("urlload: no service runs: nothing is being loaded in the background")
    }
    for job in jobs {
      let line = command.json ? try JobText.json(job) : JobText.line(job)
      FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
  }

  private func showLimits() throws {
    let limits = try BackgroundControl().set(
      BackgroundLimits(
        transfers: command.transfers, transfersPerHost: command.perHost, bytesPerSecond: command.rate,
        freeSpace: command.freeSpace))
    let lines = [
      "transfers  \(limits.transfers ?? 0)", "per-host   \(limits.transfersPerHost ?? 0)",
      "rate       \(limits.bytesPerSecond ?? 0)", "free-space \(limits.freeSpace ?? 0)",
    ]
    FileHandle.standardOutput.write(Data((lines.joined(separator: "\n") + "\n").utf8))
  }

  private func take() async -> ExitReason {
    let taker = BackgroundTaker(console: console, isQuiet: false)
    let session = BackgroundLoads.session(nil, taker)
    if command.action == .wait { await taker.waitForAll(of: session) } else { await taker.waitForEvents(of: session) }
    return taker.hasFailed ? .broken : .success
  }
}
