import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads whose protocol instance a test plays.
@Suite struct LoadTests {
  private final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    let redirectAnswer = Watched<(@Sendable (URLRequest?) -> Void)?>(nil)
    let challengeAnswer = Watched<(@Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)?>(nil)
    let data = Watched(Data())
    let end = Watched<[(any Error)?]>([])

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      redirectAnswer.update { $0 = completionHandler }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      challengeAnswer.update { $0 = completionHandler }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      self.data.update { $0.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      end.update { $0.append(error) }
    }
  }

  private let delegate = Delegate()

  private func start() async throws -> (URLSessionDataTask, Puppet) {
    let session = URLSession(configuration: Puppet.configuration(), delegate: delegate, delegateQueue: nil)
    let url = Puppet.freshURL()
    let task = session.dataTask(with: url)
    task.resume()
    return (task, try #require(await Puppet.of(url.host() ?? "")))
  }

  private func redirect(_ puppet: Puppet, bodyFollows: Bool?) throws {
    let url = try #require(puppet.request.url)
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: ["Location": "/"]))
    let request = URLRequest(url: Puppet.freshURL())
    if let bodyFollows {
      puppet.sessionClient?.urlProtocol(
        puppet, wasRedirectedTo: request, redirectResponse: response, bodyFollows: bodyFollows)
    } else {
      puppet.client?.urlProtocol(puppet, wasRedirectedTo: request, redirectResponse: response)
    }
  }

  @Test func instanceIsHeldBackWhileADelegateDecides() async throws {
    let (task, puppet) = try await start()
    try redirect(puppet, bodyFollows: nil)
    #expect(puppet.calls.value == ["start", "pause"])
    #expect(await delegate.redirectAnswer.wait { $0 != nil })
    // Nor does a resume let it go on.
    task.suspend()
    task.resume()
    #expect(puppet.calls.value == ["start", "pause"])
    delegate.redirectAnswer.value?(nil)
    #expect(await delegate.end.wait { $0.count == 1 })
    #expect(delegate.data.value.isEmpty)
  }

  @Test func refusedRedirectTakesABodyThatComesLater() async throws {
    let (task, puppet) = try await start()
    try redirect(puppet, bodyFollows: true)
    #expect(await delegate.redirectAnswer.wait { $0 != nil })
    // The answer is there before the instance gets to its response.
    delegate.redirectAnswer.value?(nil)
    #expect(await puppet.calls.wait { $0 == ["start", "pause", "resume"] })
    puppet.respond()
    puppet.send("moved")
    puppet.finish()
    #expect(await delegate.end.wait { $0.count == 1 })
    #expect(delegate.data.value == Data("moved".utf8))
    #expect(task.error == nil)
  }

  @Test func refusedRedirectTakesABodyThatCameEarlier() async throws {
    let (_, puppet) = try await start()
    try redirect(puppet, bodyFollows: true)
    puppet.respond()
    puppet.send("moved")
    puppet.finish()
    #expect(await delegate.redirectAnswer.wait { $0 != nil })
    delegate.redirectAnswer.value?(nil)
    #expect(await delegate.end.wait { $0.count == 1 })
    #expect(delegate.data.value == Data("moved".utf8))
  }

  @Test func suspensionDuringAChallengeIsKept() async throws {
    let (task, puppet) = try await start()
    let space = URLProtectionSpace(
      host: "h", port: 1, protocol: "puppet", realm: nil, authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    puppet.client?.urlProtocol(
      puppet,
      didReceive: URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
        sender: Ignoring()))
    #expect(puppet.calls.value == ["start", "pause"])
    #expect(await delegate.challengeAnswer.wait { $0 != nil })
    task.suspend()
    delegate.challengeAnswer.value?(.performDefaultHandling, nil)
    #expect(puppet.calls.value == ["start", "pause"])
    task.resume()
    #expect(await puppet.calls.wait { $0 == ["start", "pause", "resume"] })
    task.cancel()
    #expect(await delegate.end.wait { $0.count == 1 })
  }

  private final class Ignoring: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
  }

  @Test func resumeAndCancelAtOnceAlwaysEnd() async throws {
    let session = URLSession(configuration: Puppet.configuration(), delegate: delegate, delegateQueue: nil)
    let count = 3000
    for _ in 0..<count {
      let task = session.dataTask(with: Puppet.freshURL())
      DispatchQueue.global().async { task.resume() }
      DispatchQueue.global().async { task.cancel() }
    }
    #expect(await delegate.end.wait(timeout: .seconds(30)) { $0.count == count })
    #expect(delegate.end.value.allSatisfy { ($0 as? URLError)?.code == .cancelled })
    #expect(try await eventually { session.taskRegistry.isIdle })
  }

  @Test func cancelAndFinishAtOnceAgreeOnTheError() async throws {
    for _ in 0..<300 {
      let (task, puppet) = try await start()
      puppet.respond()
      DispatchQueue.global().async { puppet.finish() }
      DispatchQueue.global().async { task.cancel() }
      #expect(await delegate.end.wait { $0.count == 1 })
      let told = delegate.end.update { ends in
        defer { ends = [] }
        return ends.first ?? nil
      }
      await Task.yield()
      #expect((task.error == nil) == (told == nil))
    }
  }

  @Test func resumeDataHandlerIsAlwaysCalled() async throws {
    let session = URLSession(configuration: Puppet.configuration())
    let called = Watched(0)
    for _ in 0..<300 {
      let url = Puppet.freshURL()
      let task = session.downloadTask(with: url)
      task.resume()
      let puppet = try #require(await Puppet.of(url.host() ?? ""))
      puppet.respond()
      DispatchQueue.global().async { puppet.finish() }
      DispatchQueue.global().async { task.cancel { _ in called.update { $0 += 1 } } }
    }
    #expect(await called.wait { $0 == 300 })
  }
}
