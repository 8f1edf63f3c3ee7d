import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Delegates that hand their calls on: what a default method does is what the absence of a method means at Apple's, and nothing comes
/// back to who forwarded.
@Suite(.timeLimit(.minutes(4))) struct ForwardingDelegateTests {
  /// Implements nothing.
  final class Empty: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {}

  /// Implements nothing either: another class, since what a class lacks is remembered.
  final class Vacant: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {}

  /// Answers challenges in the form with a handler, twice each.
  final class Answering: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      completionHandler(.useCredential, URLCredential(user: "user", password: "x", persistence: .none))
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }

  /// Hands what it is told about a task on to that task's own delegate.
  final class ToTheTasksDelegate: NSObject, URLSessionDataDelegate, Sendable {
    let calls = Watched<[String]>([])
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      calls.update { $0.append("redirect") }
      guard let delegate = task.delegate else { return completionHandler(nil) }
      delegate.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: completionHandler)
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      calls.update { $0.append("data") }
      (dataTask.delegate as? any URLSessionDataDelegate)?.urlSession(session, dataTask: dataTask, didReceive: data)
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      calls.update { $0.append("completion") }
    }
  }

  private func session(_ delegate: (any URLSessionDelegate)?) -> URLSession {
    URLSession(configuration: EventfulProtocol.configuration(), delegate: delegate, delegateQueue: nil)
  }

  private func finished(_ calls: Watched<[String]>) async -> [String] {
    #expect(await calls.wait { $0.contains("completion") || $0.contains("failure") })
    return calls.value
  }

  private static let dataCalls = [
    "created", "redirect", "session challenge", "challenge", "informational", "response", "data", "metrics",
    "completion",
  ]

  @Test func aSessionsDelegateMayForwardToOneThatImplementsNothing() async throws {
    let delegate = ForwardingDelegate(to: Empty())
    let session = session(delegate)
    for _ in 0..<2 {
      delegate.calls.update { $0 = [] }
      session.dataTask(with: EventfulProtocol.url).resume()
      #expect(await finished(delegate.calls) == Self.dataCalls)
    }
    delegate.calls.update { $0 = [] }
    session.downloadTask(with: EventfulProtocol.url).resume()
    #expect(
      await finished(delegate.calls).filter { $0 != "wrote" } == [
        "created", "redirect", "session challenge", "challenge", "informational", "metrics", "file", "completion",
      ])
    delegate.calls.update { $0 = [] }
    session.uploadTask(with: URLRequest(url: EventfulProtocol.url), from: Data("abc".utf8)).resume()
    #expect(await finished(delegate.calls).contains("sent"))
    delegate.calls.update { $0 = [] }
    session.uploadTask(withStreamedRequest: URLRequest(url: EventfulProtocol.url)).resume()
    #expect(await finished(delegate.calls).contains("stream"))
    session.finishTasksAndInvalidate()
    #expect(await delegate.calls.wait { $0.last == "invalid" })
  }

  @Test func asyncFormsMayForwardToo() async throws {
    let delegate = AsyncForwardingDelegate(to: Empty())
    session(delegate).dataTask(with: EventfulProtocol.url).resume()
    #expect(
      await finished(delegate.calls) == [
        "redirect", "session challenge", "challenge", "response", "data", "completion",
      ])
  }

  @Test func whatNobodyImplementsIsWhatApplesAbsenceIs() async throws {
    // Followed, handled by default, allowed.
    let session = session(ForwardingDelegate(to: Empty()))
    #expect(try await session.data(from: EventfulProtocol.url).0 == Data("default default".utf8))
    let asynchronous = self.session(AsyncForwardingDelegate(to: Empty()))
    #expect(try await asynchronous.data(from: EventfulProtocol.url).0 == Data("default default".utf8))
  }

  @Test func aTasksDelegateThatForwardsIsNotDoubledByTheSessions() async throws {
    for _ in 0..<2 {
      let recorder = LoadRecorder(onChallenge: { _ in
        (.useCredential, URLCredential(user: "sessions", password: "x", persistence: .none))
      })
      let session = session(recorder)
      let own = ForwardingDelegate(to: Vacant())
      let task = session.dataTask(with: EventfulProtocol.url)
      task.delegate = own
      task.resume()
      // The session's delegate has no method for challenges of connections: the task's is asked in its place.
      #expect(
        await finished(own.calls) == [
          "redirect", "challenge", "challenge", "informational", "response", "data", "metrics", "completion",
        ])
      #expect(recorder.records.value.values.allSatisfy { $0.events.isEmpty })
      #expect(try await session.data(from: EventfulProtocol.url, delegate: own).0 == Data("default default".utf8))
    }
  }

  @Test func theSessionsDelegateGetsOnceWhatTheTasksLacks() async throws {
    final class Lacking: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {}
    // The first load finds out what the class lacks, the second knows it.
    for _ in 0..<2 {
      let recorder = LoadRecorder(onChallenge: { _ in
        (.useCredential, URLCredential(user: "sessions", password: "x", persistence: .none))
      })
      let session = session(recorder)
      let task = session.dataTask(with: EventfulProtocol.url)
      task.delegate = Lacking()
      task.resume()
      #expect(await recorder.records.wait { $0.values.contains { $0.completions > 0 } })
      let record = recorder.record(of: task.taskIdentifier)
      #expect(
        record.events == [
          "redirect", "challenge", "challenge", "informational", "response", "data", "metrics", "completion",
        ])
      #expect(record.body == Data("sessions sessions".utf8))
      let download = session.downloadTask(with: EventfulProtocol.url)
      download.delegate = Lacking()
      download.resume()
      #expect(await recorder.records.wait { ($0[download.taskIdentifier]?.completions ?? 0) > 0 })
      #expect(recorder.record(of: download.taskIdentifier).body == Data("sessions sessions".utf8))
    }
  }

  @Test func aSessionsDelegateMayForwardToTheTasksOwn() async throws {
    final class Bare: NSObject, URLSessionDataDelegate, Sendable {}
    for _ in 0..<2 {
      let delegate = ToTheTasksDelegate()
      let task = session(delegate).dataTask(with: EventfulProtocol.url)
      task.delegate = Bare()
      task.resume()
      #expect(await finished(delegate.calls) == ["redirect", "data", "completion"])
      #expect(task.error == nil)
    }
  }

  @Test func eitherFormReachesTheOther() async throws {
    // To the form with a handler, by the async one and by its own; the second answer counts nowhere.
    let asynchronous = session(AsyncForwardingDelegate(to: Answering()))
    #expect(try await asynchronous.data(from: EventfulProtocol.url).0 == Data("default user".utf8))
    let handled = session(ForwardingDelegate(to: Answering()))
    #expect(try await handled.data(from: EventfulProtocol.url).0 == Data("default user".utf8))
    let direct = session(Answering())
    #expect(try await direct.data(from: EventfulProtocol.url).0 == Data("user user".utf8))
  }
}
