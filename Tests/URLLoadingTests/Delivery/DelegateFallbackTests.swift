import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct DelegateFallbackTests {
  /// Only redirects, by the async form.
  final class Redirecting: NSObject, URLSessionTaskDelegate, Sendable {
    let asked = Watched(0)
    let target: URL?
    init(target: URL?) { self.target = target }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? {
      await Task.yield()
      asked.update { $0 += 1 }
      return target.map { URLRequest(url: $0) }
    }
  }

  /// Only the data, nothing else.
  final class Gathering: NSObject, URLSessionDataDelegate, Sendable {
    let body = Watched(Data())
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      body.update { $0 += data }
    }
  }

  /// The async forms of everything that is asked.
  final class Asynchronous: NSObject, URLSessionDataDelegate, Sendable {
    let asked = Watched<[String]>([])
    let completed = AsyncEvent()
    let disposition: URLSession.ResponseDisposition
    init(_ disposition: URLSession.ResponseDisposition = .allow) { self.disposition = disposition }
    private func note(_ name: String) { asked.update { $0.append(name) } }
    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      note("session challenge")
      return (.performDefaultHandling, nil)
    }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      await Task.yield()
      note("challenge")
      return (
        .useCredential,
        URLCredential(user: NginxServer.user, password: NginxServer.password, persistence: .none)
      )
    }
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? {
      await Task.yield()
      note("redirect")
      return request
    }
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
      await Task.yield()
      note("response")
      return disposition
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      note("completion")
      completed.signal()
    }
  }

  @Test(arguments: [TaskKind.dataDelegate, .dataAsync]) func theTasksDelegateIsAskedFirst(_ kind: TaskKind) async throws
  {
    let nginx = try await NginxServer.shared
    let session = RecordedSession()
    let own = Redirecting(target: nginx.url("/empty.bin"))
    if kind == .dataAsync {
      let (data, response) = try await session.session.data(from: nginx.url("/redirect/302"), delegate: own)
      #expect(data.isEmpty && response.url?.path == "/empty.bin")
    } else {
      let task = session.session.dataTask(with: nginx.url("/redirect/302"))
      task.delegate = own
      let record = await session.run(task)
      #expect(record.response?.url?.path == "/empty.bin")
      // What the task's delegate lacks went to the session's.
      #expect(record.events == ["response", "metrics", "completion"])
    }
    #expect(own.asked.value == 1)
    #expect(session.recorder.records.value.values.allSatisfy { $0.redirects.isEmpty })
  }

  @Test func whatItLacksGoesToTheSessions() async throws {
    let nginx = try await NginxServer.shared
    let session = RecordedSession()
    let task = session.session.dataTask(with: nginx.url("/redirect/302"))
    let own = Gathering()
    task.delegate = own
    let record = await session.run(task)
    #expect(record.events == ["redirect", "response", "metrics", "completion"])
    #expect(record.body.isEmpty)
    #expect(own.body.value == DocumentRoot.small)
  }

  @Test func asyncFormsAreAsked() async throws {
    let nginx = try await NginxServer.shared
    let delegate = Asynchronous()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.dataTask(with: nginx.url("/redirect/302?to=/basic/small.txt")).resume()
    #expect(await delegate.completed.wait())
    #expect(delegate.asked.value == ["redirect", "challenge", "response", "completion"])
  }

  @Test func asyncFormsOfATaskDelegateFallBackToTheSessions() async throws {
    let nginx = try await NginxServer.shared
    let sessions = Asynchronous()
    let session = URLSession(configuration: .ephemeral, delegate: sessions, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let own = Gathering()
    let (data, _) = try await session.data(from: nginx.url("/redirect/302?to=/basic/small.txt"), delegate: own)
    #expect(data == DocumentRoot.small)
    #expect(sessions.asked.value == ["redirect", "challenge"])
  }

  @Test func aRefusalOfATaskDelegateStands() async throws {
    let nginx = try await NginxServer.shared
    let session = RecordedSession()
    let (_, response) = try await session.session.data(
      from: nginx.url("/redirect/302"), delegate: Redirecting(target: nil))
    #expect((response as? HTTPURLResponse)?.statusCode == 302)
  }

  @Test func didCreateTaskIsCalledAtOnce() async throws {
    final class Creating: NSObject, URLSessionTaskDelegate, Sendable {
      let created = Watched<[Int]>([])
      func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        created.update { $0.append(task.taskIdentifier) }
      }
    }
    let delegate = Creating()
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let url = URL(stringLiteral: "data:,x")
    let tasks = [
      session.dataTask(with: url), session.downloadTask(with: url),
      session.uploadTask(with: URLRequest(url: url), from: Data()),
      session.dataTask(with: url) { _, _, _ in }, session.downloadTask(withResumeData: Data()),
    ]
    #expect(delegate.created.value == tasks.map(\.taskIdentifier))
    _ = try await session.data(from: url)
    #expect(delegate.created.value.count == tasks.count + 1)
    _ = try await session.bytes(from: url)
    #expect(delegate.created.value.count == tasks.count + 2)
  }

  @Test func aSessionWithoutADelegateLoadsForTasksWithoutOne() async throws {
    let session = URLSession(configuration: .ephemeral)
    let task = session.dataTask(with: try await NginxServer.shared.url("/redirect/302"))
    task.resume()
    #expect(try await eventually { task.state == .completed })
    #expect(task.error == nil && task.countOfBytesReceived == Int64(DocumentRoot.small.count))
  }
}
