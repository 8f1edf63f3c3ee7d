import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct SessionTests {
  /// Runs what it gets on the thread that has it.
  // Safe to share: it has no state of its own.
  final class ImmediateQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }

  // Safe to share: `session` is written once, before the session is invalidated.
  /// Asks its session something at its own end.
  private final class Farewell: NSObject, URLSessionDelegate, @unchecked Sendable {
    var session: URLSession?
    let heard: Watched<[String?]>
    init(_ heard: Watched<[String?]>) { self.heard = heard }
    deinit { heard.update { [session] in $0.append(session?.sessionDescription) } }
  }

  /// It is released outside of the session's lock, which an optimized build did not see to by itself.
  @Test func aDelegateMayAskItsSessionWhenItIsReleased() async {
    let heard = Watched<[String?]>([])
    var farewell: Farewell? = Farewell(heard)
    let session = URLSession(configuration: .ephemeral, delegate: farewell, delegateQueue: nil)
    session.sessionDescription = "of the session"
    farewell?.session = session
    farewell = nil
    session.invalidateAndCancel()
    #expect(await heard.wait { $0 == ["of the session"] })
  }

  /// Notes the queue of every call.
  final class Queueing: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    let calls = Watched<[(name: String, queue: OperationQueue?, isMain: Bool)]>([])
    private func note(_ name: String) {
      let queue = OperationQueue.current
      // The main queue, which need not be on the main thread once that has ended.
      let isMain = OperationQueue.current === OperationQueue.main
      calls.update { $0.append((name, queue, isMain)) }
    }
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { note("invalid") }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      note("redirect")
      completionHandler(request)
    }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      note("challenge")
      completionHandler(
        .useCredential, URLCredential(user: NginxServer.user, password: NginxServer.password, persistence: .none))
    }
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      note("response")
      completionHandler(.allow)
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { note("data") }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
      note("file")
    }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      note("metrics")
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      note("completion")
    }
    func names(_ count: Int) async -> [String] {
      _ = await calls.wait { $0.count >= count }
      return calls.value.map(\.name)
    }
  }

  @Test func callsComeInApplesOrderOnTheGivenQueue() async throws {
    let nginx = try await NginxServer.shared
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let delegate = Queueing()
    // The second load is to ask the server too: a file that is some minutes old is fresh for some seconds without asking (RFC 9111,
    // section 4.2.2), and a cached answer meets no redirect and no challenge.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    #expect(session.delegateQueue === queue)
    session.dataTask(with: nginx.url("/redirect/302?to=/basic/small.txt")).resume()
    let expected = ["redirect", "challenge", "response", "data", "metrics", "completion"]
    #expect(await delegate.names(expected.count) == expected)
    delegate.calls.update { $0 = [] }
    session.downloadTask(with: nginx.url("/redirect/302?to=/basic/small.txt")).resume()
    let download = ["redirect", "challenge", "metrics", "file", "completion"]
    #expect(Set(await delegate.names(download.count)) == Set(download))
    #expect(delegate.calls.value.map(\.name).last == "completion")
    session.finishTasksAndInvalidate()
    #expect(await delegate.calls.wait { $0.last?.name == "invalid" })
    #expect(delegate.calls.value.allSatisfy { $0.queue === queue })
  }

  @Test func theMainQueueIsUsedWhenGiven() async throws {
    let delegate = Queueing()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: .main)
    session.dataTask(with: try await NginxServer.shared.url()).resume()
    #expect(await delegate.calls.wait { $0.last?.name == "completion" })
    let isMain = Watched<Bool?>(nil)
    session.dataTask(with: URL(string: "data:,x")!) { _, _, _ in
      isMain.update { $0 = OperationQueue.current === OperationQueue.main }
    }.resume()
    #expect(await isMain.wait { $0 != nil })
    #expect(isMain.value == true)
    session.invalidateAndCancel()
    #expect(await delegate.calls.wait { $0.last?.name == "invalid" })
    #expect(delegate.calls.value.allSatisfy { $0.isMain })
  }

  @Test func aSessionHasOneQueueOfItsOwn() {
    let session = URLSession(configuration: .ephemeral)
    let other = URLSession(configuration: .ephemeral)
    #expect(session.delegateQueue === session.delegateQueue)
    #expect(session.delegateQueue !== other.delegateQueue)
    #expect(session.delegateQueue.maxConcurrentOperationCount == 1)
  }

  @Test func handlersRunOnTheDelegateQueue() async throws {
    let session = RecordedSession()
    let queue = session.session.delegateQueue
    let seen = Watched<[Bool]>([])
    let note: @Sendable () -> Void = { seen.update { $0.append(OperationQueue.current === queue) } }
    session.session.dataTask(with: URL(string: "data:,x")!) { _, _, _ in note() }.resume()
    session.session.downloadTask(with: URL(string: "data:,x")!) { _, _, _ in note() }.resume()
    session.session.getAllTasks { _ in note() }
    session.session.getTasksWithCompletionHandler { _, _, _ in note() }
    session.session.getTasksWithCompletionHandler(completionHandler: { _, _, _ in note() })
    session.session.flush { note() }
    session.session.reset { note() }
    #expect(await seen.wait { $0.count == 7 })
    #expect(seen.value.allSatisfy { $0 })
  }

  @Test func aBlockedDelegateStallsNoOtherSession() async throws {
    final class Blocking: NSObject, URLSessionDataDelegate, Sendable {
      let blocked = AsyncEvent()
      let release = AsyncEvent()
      func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        blocked.signal()
        _ = release.waitBlocking(timeout: .seconds(20))
      }
    }
    let nginx = try await NginxServer.shared
    let delegates = (0..<20).map { _ in Blocking() }
    let sessions = delegates.map { URLSession(configuration: .ephemeral, delegate: $0, delegateQueue: nil) }
    for session in sessions { session.dataTask(with: nginx.url("/large.bin")).resume() }
    for delegate in delegates { #expect(await delegate.blocked.wait()) }
    for url in [nginx.url("/large.bin"), URL(string: "data:,x")!, nginx.documentRoot.appending(path: "small.txt")] {
      let record = await RecordedSession().load(url)
      #expect(record.error == nil && record.completions == 1)
    }
    for delegate in delegates { delegate.release.signal() }
    for session in sessions { session.invalidateAndCancel() }
  }

  @Test func tasksAreListedUntilTheyEnd() async throws {
    let nginx = try await NginxServer.shared
    let session = RecordedSession()
    let data = session.session.dataTask(with: nginx.url("/slow/large.bin"))
    let upload = session.session.uploadTask(with: URLRequest(url: nginx.url("/slow/large.bin")), from: Data())
    let download = session.session.downloadTask(with: nginx.url("/slow/large.bin"))
    for task in [data, upload, download] { task.resume() }
    #expect(await session.session.allTasks == [data, upload, download])
    let tasks = await session.session.tasks
    #expect(tasks.0 == [data] && tasks.1 == [upload] && tasks.2 == [download])
    for task in [data, upload, download] { task.cancel() }
    #expect(try await eventually { await session.session.allTasks.isEmpty })
  }

  @Test func flushUsesNewConnections() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let session = RecordedSession()
    _ = await session.load(server.url())
    _ = await session.load(server.url())
    #expect(server.connectionCount == 1)
    await session.session.flush()
    #expect(await session.load(server.url()).text == "ok")
    #expect(server.connectionCount == 2)
  }

  @Test func resetEmptiesTheCookies() async throws {
    let nginx = try await NginxServer.shared
    let session = RecordedSession()
    _ = await session.load(nginx.url("/cookies/set"))
    #expect(await session.load(nginx.url("/cookies/echo")).text.contains("first=1"))
    await session.session.reset()
    #expect(await session.load(nginx.url("/cookies/echo")).text.isEmpty)
  }

  @Test func finishingLetsTasksEndAndThenTellsTheDelegate() async throws {
    let nginx = try await NginxServer.shared
    let delegate = Queueing()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    for _ in 0..<5 { session.dataTask(with: nginx.url("/slow/small.txt?rate=1k")).resume() }
    session.finishTasksAndInvalidate()
    #expect(await delegate.calls.wait { $0.last?.name == "invalid" })
    #expect(delegate.calls.value.filter { $0.name == "completion" }.count == 5)
    #expect(delegate.calls.value.filter { $0.name == "invalid" }.count == 1)
    #expect(try await eventually { session.delegate == nil })
  }

  @Test func cancellingEndsTasksAndThenTellsTheDelegate() async throws {
    let nginx = try await NginxServer.shared
    let delegate = Queueing()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    let tasks = (0..<5).map { _ in session.dataTask(with: nginx.url("/slow/large.bin")) }
    for task in tasks.dropFirst() { task.resume() }
    session.invalidateAndCancel()
    session.invalidateAndCancel()
    #expect(await delegate.calls.wait { $0.last?.name == "invalid" })
    // The one that was never resumed as well.
    #expect(delegate.calls.value.filter { $0.name == "completion" }.count == 5)
    #expect(tasks.allSatisfy { $0.state == .completed && ($0.error as? URLError)?.code == .cancelled })
    #expect(await !delegate.calls.wait(timeout: .milliseconds(100)) { $0.last?.name != "invalid" })
  }

  @Test func aTaskThatWasNeverResumedIsToldOfBeforeTheSessionsEnd() async throws {
    // One that answers might do so before the session ends.
    let server = try ScriptedServer { _ = $0.waitForPeerClose() }
    let delegate = Queueing()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: ImmediateQueue())
    let unstarted = session.dataTask(with: server.url("/"))
    session.dataTask(with: server.url("/silent")).resume()
    session.invalidateAndCancel()
    #expect(delegate.calls.value.map(\.name) == ["metrics", "completion", "metrics", "completion", "invalid"])
    #expect((unstarted.error as? URLError)?.code == .cancelled)
  }

  @Test func oneThousandAtOnce() async throws {
    let nginx = try await NginxServer.shared
    let session = RecordedSession { $0.timeoutIntervalForRequest = 30 }
    let url = nginx.url()
    let count = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<1000 {
        group.addTask { (try? await session.session.data(from: url))?.0 == DocumentRoot.small }
      }
      var count = 0
      for await isRight in group where isRight { count += 1 }
      return count
    }
    #expect(count == 1000)
    #expect(try await eventually { await session.session.allTasks.isEmpty })
  }
}
