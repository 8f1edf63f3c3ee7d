import Foundation
import TestServers
import Testing
import URLLoading

@Suite(.timeLimit(.minutes(1))) struct LifetimeTests {
  private struct Weak {
    weak var session: URLSession?
    weak var delegate: LoadRecorder?
    weak var task: URLSessionTask?
  }

  /// Uses a session, and leaves weak references to it.
  private func weaklyAfter(_ use: (URLSession, LoadRecorder) async throws -> URLSessionTask?) async throws -> Weak {
    let recorder = LoadRecorder()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [FakeProtocol.self]
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    let task = try await use(session, recorder)
    return Weak(session: session, delegate: recorder, task: task)
  }

  private func expectGone(_ weak: Weak, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    #expect(try await eventually { weak.session == nil }, "the session stays", sourceLocation: sourceLocation)
    #expect(try await eventually { weak.delegate == nil }, "the delegate stays", sourceLocation: sourceLocation)
    #expect(try await eventually { weak.task == nil }, "the task stays", sourceLocation: sourceLocation)
  }

  @Test func aSessionAndItsDelegateGoAfterInvalidation() async throws {
    let url = try await NginxServer.shared.url()
    try await expectGone(
      await weaklyAfter { session, recorder in
        let task = session.dataTask(with: url)
        task.resume()
        #expect(await recorder.records.wait { $0.values.contains { $0.completions == 1 } })
        session.finishTasksAndInvalidate()
        return task
      })
  }

  @Test func aSessionThatWasNotInvalidatedGoesWithItsLastReference() async throws {
    let url = try await NginxServer.shared.url()
    try await expectGone(
      await weaklyAfter { session, recorder in
        let task = session.downloadTask(with: url)
        task.resume()
        #expect(await recorder.records.wait { $0.values.contains { $0.completions == 1 } })
        return task
      })
  }

  @Test func cancelledTasksGo() async throws {
    let url = try await NginxServer.shared.url("/slow/large.bin")
    try await expectGone(
      await weaklyAfter { (session, recorder) async throws in
        let task = session.dataTask(with: url)
        task.resume()
        #expect(try await eventually { task.countOfBytesReceived > 0 })
        session.invalidateAndCancel()
        return task
      })
  }

  @Test func tasksThatWereNeverResumedKeepNothing() async throws {
    try await expectGone(
      await weaklyAfter { session, _ in
        let task = session.dataTask(with: "data:,x")
        _ = session.downloadTask(with: "data:,x") { _, _, _ in }
        _ = session.uploadTask(with: URLRequest(url: URL(stringLiteral: "data:,x")), from: Data())
        _ = task.progress
        return task
      })
  }

  @Test func everyKindOfEndFreesTheTask() async throws {
    let target = Fake(["x"])
    let fakes = [
      Fake(["x"]), Fake { $0.fail(URLError(.unknown)) }, Fake { $0.finish() },
      Fake { $0.redirect(to: target.url()) },
    ]
    for fake in fakes {
      try await expectGone(
        await weaklyAfter { session, recorder in
          let task = session.dataTask(with: fake.url())
          _ = task.progress
          task.resume()
          #expect(await recorder.records.wait { $0.values.contains { $0.completions == 1 } })
          return task
        })
    }
    try await expectGone(
      await weaklyAfter { session, _ in
        let (bytes, _) = try await session.bytes(from: fakes[0].url())
        for try await _ in bytes {}
        return bytes.task
      })
  }

  @Test func timedOutTasksGo() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    try await expectGone(
      await weaklyAfter { session, recorder in
        var request = URLRequest(url: server.url())
        request.timeoutInterval = 0.2
        let task = session.dataTask(with: request)
        task.resume()
        #expect(await recorder.records.wait { $0.values.contains { $0.completions == 1 } })
        return task
      })
  }
}
