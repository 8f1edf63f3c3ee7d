import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Delegates that answer late, from anywhere, twice, or never, and loads that are cancelled meanwhile.
@Suite(.timeLimit(.minutes(4))) struct TrustAnswerTests {
  private static let condition = "unknown authority"

  @Test func anAnswerMayComeSecondsLaterFromAnotherThread() async throws {
    let server = try await TLSCorpus.server
    let delegate = HeldTrustDelegate()
    let session = delegate.session()
    let task = session.dataTask(with: try server.url(Self.condition))
    task.resume()
    #expect(await delegate.held.wait { $0.count == 1 })
    let held = try #require(delegate.held.value.first)
    let thread = Thread {
      Thread.sleep(forTimeInterval: 2.5)
      held.accept()
      // A second answer does not count.
      held.answer(.cancelAuthenticationChallenge, nil)
    }
    thread.start()
    #expect(await delegate.ended.wait { $0[task] != nil })
    #expect(delegate.code(of: task) == nil)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
    session.finishTasksAndInvalidate()
  }

  @Test func aLoadThatIsNeverAnsweredCanBeCancelled() async throws {
    let server = try await TLSCorpus.server
    let delegate = HeldTrustDelegate()
    let session = delegate.session()
    let task = session.dataTask(with: try server.url(Self.condition))
    task.resume()
    #expect(await delegate.held.wait { $0.count == 1 })
    task.cancel()
    #expect(await delegate.ended.wait { $0[task] != nil })
    #expect(delegate.code(of: task) == .cancelled)
    // An answer to nobody.
    delegate.held.value.first?.accept()
    session.invalidateAndCancel()
  }

  @Test func aSessionThatIsNeverAnsweredCanBeInvalidated() async throws {
    let server = try await TLSCorpus.server
    let delegate = HeldTrustDelegate()
    let session = delegate.session()
    let tasks = try (0..<5).map { _ in session.dataTask(with: try server.url(Self.condition)) }
    for task in tasks { task.resume() }
    #expect(await delegate.held.wait { !$0.isEmpty })
    session.invalidateAndCancel()
    #expect(await delegate.ended.wait { $0.count == 5 })
    #expect(delegate.ended.value.values.allSatisfy { $0 == .cancelled })
    for held in delegate.held.value { held.accept() }
  }

  /// It is that of a server that says nothing: the person who is asked may take longer.
  @Test func theTimeOfARequestStopsForAQuestion() async throws {
    let server = try await TLSCorpus.server
    let delegate = HeldTrustDelegate()
    let session = delegate.session()
    var request = URLRequest(url: try server.url(Self.condition))
    request.timeoutInterval = Sanitizing.isOn ? 10 : 1
    let task = session.dataTask(with: request)
    task.resume()
    #expect(await delegate.held.wait { $0.count == 1 })
    let isEnded = await delegate.ended.wait(timeout: .seconds(Sanitizing.isOn ? 12 : 3)) { $0[task] != nil }
    #expect(!isEnded)
    delegate.held.value.first?.accept()
    #expect(await delegate.ended.wait { $0[task] != nil })
    #expect(delegate.code(of: task) == nil)
    session.invalidateAndCancel()
  }

  @Test func aHundredAnswersFromManyThreads() async throws {
    let server = try await TLSCorpus.server
    let delegate = HeldTrustDelegate()
    let session = delegate.session()
    let tasks = try (0..<100).map { session.dataTask(with: try server.url(Self.condition, "/\($0)")) }
    for task in tasks { task.resume() }
    var answered = 0
    while delegate.ended.value.count < tasks.count {
      let seen = answered
      _ = await delegate.held.wait(timeout: .milliseconds(100)) { $0.count > seen }
      let new = delegate.held.value[answered...]
      answered += new.count
      for held in new { DispatchQueue.global().async { held.accept() } }
    }
    #expect(delegate.ended.value.values.allSatisfy { $0 == nil })
    session.finishTasksAndInvalidate()
  }

  /// At every method of the delegate, before the load, and right before and after the answer.
  @Test(arguments: ["begin", "challenge", "before answer", "behind answer", "response", "data", "end"])
  func aLoadIsCancelledAtAStep(_ step: String) async throws {
    let server = try await TLSCorpus.server
    let current = Watched<URLSessionTask?>(nil)
    let delegate = HeldTrustDelegate { event, task in
      if event == step { (task ?? current.value)?.cancel() }
    }
    let session = delegate.session()
    for _ in 0..<10 {
      let task = session.dataTask(with: try server.url(Self.condition))
      let known = delegate.held.value.count
      current.update { $0 = task }
      if step == "begin" { task.cancel() }
      task.resume()
      let isAsked = try await eventually { delegate.held.value.count > known || delegate.ended.value[task] != nil }
      #expect(isAsked)
      if delegate.held.value.count > known, let held = delegate.held.value.last {
        if step == "before answer" { task.cancel() }
        held.accept()
        if step == "behind answer" { task.cancel() }
      }
      #expect(await delegate.ended.wait { $0[task] != nil })
      let code = delegate.code(of: task)
      let mayLoad = ["behind answer", "data", "end"].contains(step)
      #expect(code == .cancelled || mayLoad && code == nil, "\(step): \(String(describing: code))")
      await session.flush()
    }
    session.finishTasksAndInvalidate()
  }
}
