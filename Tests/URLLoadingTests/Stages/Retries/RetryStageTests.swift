import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct RetryStageTests {
  private let request = RetriedRequest(method: "GET")
  private let rest = RangeExpectation(
    range: .from(500), completeLength: 1000, validators: ResourceValidators(entityTag: "\"a\""))

  private func stage(_ change: (inout URLSessionConfiguration.RetryPolicy) -> Void = { _ in }) -> RetryStage {
    var policy = URLSessionConfiguration.RetryPolicy()
    policy.isJittered = false
    change(&policy)
    return RetryStage(policy)
  }

  /// - Parameter budget: how many retries the session has left.
  private func end(
    _ stage: inout RetryStage, _ ending: RetriedEnding, progress: RetryStage.Progress = .none,
    timeLeft: Duration? = nil, budget: Int = 100
  ) -> (RetryStage.Action, withdrawn: Bool) {
    var generator = SeededGenerator(seed: 1)
    var isWithdrawn = false
    let action = stage.attemptEnded(
      ending, of: request, progress: progress, at: Date(), timeLeft: timeLeft, using: &generator
    ) {
      isWithdrawn = true
      return budget > 0
    }
    return (action, isWithdrawn)
  }

  @Test func attemptsAreCounted() {
    var stage = stage()
    let actions = (0..<4).map { _ in end(&stage, .status(503, retryAfter: nil)).0 }
    let waits = [0.5, 1, 2].map { RetryStage.Action.retry(after: .seconds($0)) }
    #expect(actions == waits + [.pass])
    #expect(stage.count == 3 && stage.reason == .status)
    var other = self.stage()
    _ = end(&other, .failure(URLError(.timedOut)))
    #expect(other.count == 1 && other.reason == .failure)
  }

  @Test func theBudgetIsAskedLast() {
    var stage = stage()
    #expect(end(&stage, .status(404, retryAfter: nil)) == (.pass, false))
    #expect(end(&stage, .status(503, retryAfter: "9"), timeLeft: .seconds(9)) == (.pass, false))
    #expect(end(&stage, .status(503, retryAfter: nil), budget: 0) == (.pass, true))
    #expect(stage.count == 0)
    #expect(end(&stage, .status(503, retryAfter: "9"), timeLeft: .seconds(10)) == (.retry(after: .seconds(9)), true))
  }

  @Test func aWaitWithoutEndIsNotBegun() {
    var stage = stage { $0.maximumDelay = .infinity }
    #expect(end(&stage, .status(503, retryAfter: "18446744073709551615")).0 == .pass)
    var endless = self.stage { ($0.firstDelay, $0.maximumBackoff) = (.infinity, .infinity) }
    #expect(end(&endless, .status(503, retryAfter: nil)).0 == .pass)
  }

  @Test func littleIsReadOfWhatIsDropped() {
    var stage = stage()
    let limit = RetryStage.mostDropped
    #expect([stage.drops(limit - 1), stage.drops(1), stage.drops(1)] == [.read, .read, .stop])
    _ = end(&stage, .status(503, retryAfter: nil))
    #expect([stage.drops(5), stage.drops(nil)] == [.read, .stop])
    #expect(stage.drops(.max) == .stop && stage.drops(.max) == .stop)
  }

  @Test func theRestIsAskedForUntilItComes() {
    var stage = stage()
    let original = URLRequest(url: URL(filePath: "/"))
    var request = original
    let unasked = stage.ask(&request, of: original)
    #expect(!unasked && request == original)
    _ = end(&stage, .failure(URLError(.networkConnectionLost)), progress: .part(rest))
    // That an attempt for the rest fails does not change what is missing, nor why.
    _ = end(&stage, .failure(URLError(.timedOut)))
    _ = end(&stage, .status(503, retryAfter: nil))
    #expect(stage.rest == rest && (stage.failure as? URLError)?.code == .networkConnectionLost)
    let asked = stage.ask(&request, of: original)
    #expect(asked)
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=500-")
    #expect(request.value(forHTTPHeaderField: "If-Range") == "\"a\"")
    stage.endRest()
    let withdrawn = stage.ask(&request, of: original)
    #expect(withdrawn && stage.failure == nil)
    #expect(request.value(forHTTPHeaderField: "Range") == nil && request.value(forHTTPHeaderField: "If-Range") == nil)
    let again = stage.ask(&request, of: original)
    #expect(!again)
  }

  @Test func thePartThatTheTaskAskedForComesBack() {
    var original = URLRequest(url: URL(filePath: "/"))
    original.setValue("bytes=0-999", forHTTPHeaderField: "Range")
    var (request, stage) = (original, stage())
    _ = end(&stage, .failure(URLError(.networkConnectionLost)), progress: .part(rest))
    _ = stage.ask(&request, of: original)
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=500-")
    stage.endRest()
    _ = stage.ask(&request, of: original)
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=0-999")
  }
}
