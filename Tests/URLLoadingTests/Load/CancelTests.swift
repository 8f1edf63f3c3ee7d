import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct CancelTests {
  /// Holds every question that it is asked.
  final class Withholding: NSObject, URLSessionDataDelegate, Sendable {
    struct Held: Sendable {
      var redirect: (@Sendable (URLRequest?) -> Void)?
      var proposed: URLRequest?
      var disposition: (@Sendable (URLSession.ResponseDisposition) -> Void)?
      var challenge: (@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)?
      var stream: (@Sendable (InputStream?) -> Void)?
      var completions: [(any Error)?] = []
    }
    let held = Watched(Held())

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      held.update {
        $0.redirect = completionHandler
        $0.proposed = request
      }
    }
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      held.update { $0.disposition = completionHandler }
    }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      held.update { $0.challenge = completionHandler }
    }
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      held.update { $0.stream = completionHandler }
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      held.update { $0.completions.append(error) }
    }
  }

  private let delegate = Withholding()

  private func session() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// One completion with -999, and no other after late answers.
  private func expectCancelled(_ task: URLSessionTask) async {
    #expect(await delegate.held.wait { !$0.completions.isEmpty })
    #expect(await !delegate.held.wait(timeout: .milliseconds(100)) { $0.completions.count > 1 })
    let error = delegate.held.value.completions.first.flatMap { $0 } as NSError?
    #expect(error?.domain == NSURLErrorDomain && error?.code == -999)
    #expect(task.state == .completed)
  }

  @Test func thenCallingTheRedirectHandler() async throws {
    let session = session()
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: try await NginxServer.shared.url("/redirect/302"))
    task.resume()
    #expect(await delegate.held.wait { $0.redirect != nil })
    task.cancel()
    delegate.held.value.redirect?(delegate.held.value.proposed)
    delegate.held.value.redirect?(nil)
    await expectCancelled(task)
    delegate.held.value.redirect?(delegate.held.value.proposed)
    await expectCancelled(task)
  }

  @Test func thenCallingTheDispositionHandler() async throws {
    let session = session()
    defer { session.invalidateAndCancel() }
    for disposition in [URLSession.ResponseDisposition.allow, .cancel, .becomeDownload] {
      delegate.held.update { $0 = Withholding.Held() }
      let task = session.dataTask(with: try await NginxServer.shared.url("/large.bin"))
      task.resume()
      #expect(await delegate.held.wait { $0.disposition != nil })
      task.cancel()
      delegate.held.value.disposition?(disposition)
      await expectCancelled(task)
      delegate.held.value.disposition?(disposition)
    }
  }

  @Test func thenCallingTheChallengeHandler() async throws {
    let session = session()
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: try await NginxServer.shared.url("/basic/small.txt"))
    task.resume()
    #expect(await delegate.held.wait { $0.challenge != nil })
    task.cancel()
    delegate.held.value.challenge?(
      .useCredential,
      URLCredential(user: NginxServer.user, password: NginxServer.password, persistence: .none))
    await expectCancelled(task)
  }

  @Test func thenCallingTheStreamHandler() async throws {
    let session = session()
    defer { session.invalidateAndCancel() }
    let task = session.uploadTask(withStreamedRequest: URLRequest(url: try await NginxServer.shared.url()))
    task.resume()
    #expect(await delegate.held.wait { $0.stream != nil })
    task.cancel()
    delegate.held.value.stream?(InputStream(data: Data("x".utf8)))
    await expectCancelled(task)
  }

  @Test func whileNothingAnswers() async throws {
    let session = session()
    defer { session.invalidateAndCancel() }
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose()
    }
    let task = session.dataTask(with: server.url())
    task.resume()
    #expect(await server.waitForRequests(1))
    task.cancel()
    await expectCancelled(task)
    #expect(await server.waitForIdle())
  }

  /// Cancels at every moment of a load that ends by itself: always one completion.
  @Test(arguments: ["finish", "failure"]) func racingTheEnd(_ ending: String) async throws {
    let fake = Fake { instance in
      instance.respond()
      if ending == "finish" { instance.finish() } else { instance.fail(URLError(.networkConnectionLost)) }
    }
    let session = RecordedSession.fake()
    for round in 0..<600 {
      let task = session.session.dataTask(with: fake.url())
      let identifier = task.taskIdentifier
      task.resume()
      let canceller = Task.detached {
        for _ in 0..<(round % 50) * 20 { _ = task.state }
        task.cancel()
      }
      let ended = await session.recorder.records.wait(timeout: .seconds(10)) { $0[identifier]?.completions ?? 0 > 0 }
      #expect(ended, "round \(round): no completion; state \(task.state.rawValue)")
      await canceller.value
      guard ended else { return }
    }
    #expect(session.recorder.records.value.values.allSatisfy { $0.completions == 1 })
    #expect(try await eventually { await session.session.allTasks.isEmpty })
  }

  @Test func racingTheResume() async throws {
    let url = try await NginxServer.shared.url()
    let session = RecordedSession()
    for round in 0..<400 {
      let task = session.session.dataTask(with: url)
      let identifier = task.taskIdentifier
      let canceller = Thread { task.cancel() }
      canceller.start()
      for _ in 0..<(round % 40) * 10 { _ = task.state }
      task.resume()
      let ended = await session.recorder.records.wait(timeout: .seconds(10)) { $0[identifier]?.completions ?? 0 > 0 }
      #expect(ended, "round \(round): no completion; state \(task.state.rawValue)")
      guard ended else { return }
    }
    #expect(session.recorder.records.value.values.allSatisfy { $0.completions == 1 })
    #expect(try await eventually { await session.session.allTasks.isEmpty })
  }

  /// `async` calls whose surrounding task is cancelled while the server drops the connection.
  @Test func ofAsyncCallsRacingFailures() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
      connection.reset()
    }
    let session = RecordedSession()
    let url = server.url()
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<300 {
        group.addTask {
          let loading = Task { try await session.session.data(from: url) }
          for _ in 0..<(index % 30) { await Task.yield() }
          loading.cancel()
          do {
            _ = try await loading.value
            return false
          } catch {
            return error is URLError
          }
        }
      }
      for await failed in group { #expect(failed) }
    }
    #expect(try await eventually { await session.session.allTasks.isEmpty })
  }

  @Test func ofTheSurroundingTaskBeforeItBegins() async throws {
    let url = try await NginxServer.shared.url()
    let session = RecordedSession()
    let loading = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await session.session.data(from: url)
    }
    loading.cancel()
    let error = await #expect(throws: URLError.self) { try await loading.value }
    #expect(error?.code == .cancelled)
  }

  @Test func ofTheSurroundingTaskWhileBytesCome() async throws {
    let url = try await NginxServer.shared.url("/slow/large.bin")
    let session = RecordedSession()
    let count = Watched(0)
    let loading = Task {
      let (bytes, _) = try await session.session.bytes(from: url)
      for try await _ in bytes { count.update { $0 += 1 } }
    }
    #expect(await count.wait { $0 > 0 })
    loading.cancel()
    let error = await #expect(throws: (any Error).self) { try await loading.value }
    #expect(error is CancellationError || (error as? URLError)?.code == .cancelled)
  }
}
