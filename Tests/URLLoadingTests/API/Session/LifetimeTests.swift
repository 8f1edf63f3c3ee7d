import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct LifetimeTests {
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
        session.finishTasksAndInvalidate()
        return task
      })
  }

  @Test func asyncFunctionsKeepNoSessionThatWasNotInvalidated() async throws {
    let fake = Fake(["x"])
    try await expectGone(
      await weaklyAfter { session, _ in
        _ = try await session.data(from: fake.url())
        _ = session.entries(at: "file:///")
        let (bytes, _) = try await session.bytes(from: fake.url())
        for try await _ in bytes { break }
        return bytes.task
      })
  }

  @Test func aSessionHoldsItsTasksFromTheirCreation() async throws {
    let session = URLSession(configuration: .ephemeral)
    let handled = Watched(0)
    func make() -> [Int: () -> URLSessionTask?] {
      var found: [Int: () -> URLSessionTask?] = [:]
      let url: URL = "data:,x"
      let request = URLRequest(url: url)
      let tasks = [
        session.dataTask(with: url) { _, _, _ in handled.update { $0 += 1 } },
        session.downloadTask(with: url) { _, _, _ in handled.update { $0 += 1 } },
        session.uploadTask(with: request, from: nil) { _, _, _ in handled.update { $0 += 1 } },
        session.dataTask(with: url), session.downloadTask(with: url), session.uploadTask(with: request, from: Data()),
      ]
      for task in tasks { found[task.taskIdentifier] = { [weak task] in task } }
      return found
    }
    let weakly = make()
    #expect(await session.allTasks.count == 6)
    for task in weakly.values { task()?.resume() }
    #expect(await handled.wait { $0 == 3 })
    #expect(try await eventually { weakly.values.allSatisfy { $0() == nil } }, "a task stays after its end")
  }

  @Test func anInvalidatedSessionLetsGoOfTasksThatNobodyResumed() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    let recorder = LoadRecorder()
    let session = URLSession(configuration: .ephemeral, delegate: recorder, delegateQueue: nil)
    let running = session.dataTask(with: server.url())
    running.resume()
    weak let forgotten = session.dataTask(with: "data:,x")
    #expect(forgotten != nil)
    let kept = session.dataTask(with: "data:,x")
    session.finishTasksAndInvalidate()
    #expect(forgotten == nil)
    // While another task runs it can still begin; afterwards it fails.
    let late = session.dataTask(with: "data:,x")
    kept.resume()
    #expect(await recorder.records.wait { ($0[kept.taskIdentifier]?.completions ?? 0) == 1 })
    #expect(recorder.record(of: kept.taskIdentifier).text == "x")
    let lost = Watched<URLError.Code?>(nil)
    let unstarted = session.dataTask(with: "data:,x") { _, _, error in
      lost.update { $0 = (error as? URLError)?.code ?? .unknown }
    }
    running.cancel()
    #expect(await recorder.records.wait { ($0[running.taskIdentifier]?.completions ?? 0) == 1 })
    unstarted.resume()
    #expect(await lost.wait { $0 != nil })
    #expect(lost.value == .cancelled)
    withExtendedLifetime(late) {}
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

  @Test func aStreamTaskThatNobodyResumedGoes() async throws {
    let codes = Watched<[URLError.Code?]>([])
    try await expectGone(
      await weaklyAfter { session, _ in
        let task = session.streamTask(withHostName: "127.0.0.1", port: 1)
        task.readData(ofMinLength: 1, maxLength: 1, timeout: 0) { _, _, error in
          codes.update { $0.append((error as? URLError)?.code) }
        }
        task.write(Data("x".utf8), timeout: 0) { error in codes.update { $0.append((error as? URLError)?.code) } }
        session.finishTasksAndInvalidate()
        return task
      })
    #expect(await codes.wait { $0 == [.cancelled, .cancelled] }, "\(codes.value)")
  }

  /// An open connection and its load retain each other until the end.
  @Test func webSocketTasksGo() async throws {
    let server = try await WebSocketServer.start()
    let url = server.url("/echo")
    let codes = Watched<[URLError.Code?]>([])
    let note: @Sendable ((any Error)?) -> Void = { error in codes.update { $0.append((error as? URLError)?.code) } }
    try await expectGone(
      await weaklyAfter { session, _ in
        let task = session.webSocketTask(with: url)
        task.send(.string("x"), completionHandler: note)
        task.sendPing(pongReceiveHandler: note)
        task.receive { result in
          if case .failure(let error) = result { note(error) }
        }
        session.finishTasksAndInvalidate()
        return task
      })
    #expect(await codes.wait { $0 == [.cancelled, .cancelled, .cancelled] }, "\(codes.value)")
    let ends: [@Sendable (URLSessionWebSocketTask, URLSession) -> Void] = [
      { task, _ in task.cancel(with: .normalClosure, reason: nil) }, { task, _ in task.cancel() },
      { _, session in session.invalidateAndCancel() },
    ]
    for end in ends {
      try await expectGone(
        await weaklyAfter { session, recorder in
          let task = session.webSocketTask(with: url)
          task.resume()
          try await task.send(.string("x"))
          _ = try await task.receive()
          end(task, session)
          #expect(await recorder.records.wait { $0.values.contains { $0.completions == 1 } })
          return task
        })
    }
    try await expectGone(
      await weaklyAfter { session, recorder in
        let task = session.webSocketTask(with: try await NginxServer.shared.url("/absent"))
        task.resume()
        #expect(await recorder.records.wait { $0.values.contains { $0.completions == 1 } })
        return task
      })
    await server.stop()
  }
}
