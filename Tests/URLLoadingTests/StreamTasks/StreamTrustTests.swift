import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Who judges the peer of a stream task on which TLS begins.
@Suite(.timeLimit(.minutes(4))) struct StreamTrustTests: StreamTaskSuite {
  /// Answers challenges as it is told, and tells them.
  private final class Judge: NSObject, URLSessionTaskDelegate, Sendable {
    typealias Answer =
      @Sendable (
        URLAuthenticationChallenge, @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
      ) -> Void

    let spaces = Watched<[URLProtectionSpace]>([])
    let metrics = Watched<[URLSessionTaskTransactionMetrics]>([])
    let end = Watched<(any Error)??>(nil)
    private let answer: Answer

    init(_ answer: @escaping Answer) { self.answer = answer }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      spaces.update { $0.append(challenge.protectionSpace) }
      answer(challenge, completionHandler)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      self.metrics.update { $0 = metrics.transactionMetrics }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      end.update { $0 = .some(error) }
    }
  }

  private func begun(_ session: URLSession, _ server: StartTLSServer, _ judge: Judge) async throws
    -> URLSessionStreamTask
  {
    let task = session.streamTask(withHostName: "127.0.0.1", port: Int(server.port))
    task.delegate = judge
    task.resume()
    try await task.write(Data("STARTTLS\n".utf8), timeout: 60)
    let agreed = try await line(task)
    #expect(agreed == "go")
    task.startSecureConnection()
    return task
  }

  private static func trust(
    _ challenge: URLAuthenticationChallenge,
    _ answer: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let trust = challenge.protectionSpace.serverTrust else { return answer(.cancelAuthenticationChallenge, nil) }
    answer(.useCredential, URLCredential(trust: trust))
  }

  /// Whom no authority vouches for, and who is for another host, whoever judges may accept.
  @Test func aPeerThatIsAccepted() async throws {
    let wrongHost = try await TestCertificates.shared.wrongHost
    for server in [try await StartTLSServer.start(), try await StartTLSServer.start(wrongHost)] {
      let session = try await session { $0.certificateAuthorityFile = nil }
      let judge = Judge { Self.trust($0, $1) }
      let task = try await begun(session, server, judge)
      try await task.write(Data("echo secret\n".utf8), timeout: 60)
      let answer = try await line(task)
      #expect(answer == "secret")
      let space = try #require(judge.spaces.value.first)
      #expect(judge.spaces.value.count == 1)
      #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
      #expect(space.host == "127.0.0.1" && space.port == Int(server.port) && !space.isProxy())
      #expect(space.serverTrust != nil)
      task.closeWrite()
      let (_, atEOF) = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
      #expect(atEOF)
      session.invalidateAndCancel()
      await server.stop()
    }
  }

  /// The checks that somebody overrode are in the metrics: of a server that no authority vouches for, of one for another host, and of one
  /// that is trusted.
  @Test(arguments: [
    (false, true, [URLSessionTaskTransactionMetrics.WeakenedCheck.Check.certificateChain]),
    (true, false, [.hostName]), (true, true, []),
  ])
  func theMetricsSayWhatWasWeakened(
    _ isTrusted: Bool, _ isRightHost: Bool, _ expected: [URLSessionTaskTransactionMetrics.WeakenedCheck.Check]
  ) async throws {
    let wrongHost = try await TestCertificates.shared.wrongHost
    let server = try await StartTLSServer.start(isRightHost ? nil : wrongHost)
    let session = try await session { if !isTrusted { $0.certificateAuthorityFile = nil } }
    let judge = Judge { Self.trust($0, $1) }
    let task = try await begun(session, server, judge)
    try await task.write(Data("echo secret\n".utf8), timeout: 60)
    let answer = try await line(task)
    #expect(answer == "secret")
    task.closeWrite()
    let (_, atEOF) = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
    #expect(atEOF)
    let isOver = await judge.end.wait { $0 != nil }
    #expect(isOver)
    let metrics = try #require(judge.metrics.value.last)
    #expect(metrics.weakenedChecks.map(\.check) == expected)
    #expect(metrics.weakenedChecks.allSatisfy { $0.cause == .delegate && !$0.isOfProxy && !$0.reason.isEmpty })
    #expect(metrics.stapledOCSPResponse == .absent)
    #expect(metrics.negotiatedTLSProtocolVersion != nil)
    session.invalidateAndCancel()
    await server.stop()
  }

  /// A peer that was rejected was not accepted in spite of anything.
  @Test(arguments: [
    URLSession.AuthChallengeDisposition.rejectProtectionSpace, .cancelAuthenticationChallenge, .performDefaultHandling,
  ])
  func aRejectionWeakensNothing(_ disposition: URLSession.AuthChallengeDisposition) async throws {
    let server = try await StartTLSServer.start()
    let session = try await session { $0.certificateAuthorityFile = nil }
    let judge = Judge { $1(disposition, nil) }
    let task = try await begun(session, server, judge)
    await #expect(throws: URLError.self) {
      try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
    }
    let isOver = await judge.end.wait { $0 != nil }
    #expect(isOver)
    let metrics = try #require(judge.metrics.value.last)
    #expect(metrics.weakenedChecks.isEmpty)
    session.invalidateAndCancel()
    await server.stop()
  }

  /// No byte goes either way before there is an answer, and none after one that rejects.
  @Test func nothingIsSentBeforeTheAnswer() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session { $0.timeoutIntervalForRequest = 20 }
    let pending = Watched<(@Sendable (Bool) -> Void)?>(nil)
    for accepts in [true, false] {
      pending.update { $0 = nil }
      let judge = Judge { challenge, answer in
        pending.update { $0 = { $0 ? Self.trust(challenge, answer) : answer(.rejectProtectionSpace, nil) } }
      }
      let task = try await begun(session, server, judge)
      let isAsked = await pending.wait { $0 != nil }
      #expect(isAsked)
      let late = await #expect(throws: URLError.self) { try await task.write(Data("echo a\n".utf8), timeout: 0.2) }
      #expect(late?.code == .timedOut)
      // The request's timeout stands still while somebody thinks.
      let other = await #expect(throws: URLError.self) {
        try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 21)
      }
      #expect(other?.code == .timedOut && judge.end.value == nil)
      let sending = Task { try await task.write(Data("echo b\n".utf8), timeout: 60) }
      pending.value?(accepts)
      if accepts {
        try await sending.value
        let answer = try await line(task)
        #expect(answer == "b")
        task.cancel()
      } else {
        await #expect(throws: URLError.self) { try await sending.value }
        let isOver = await judge.end.wait { $0 != nil }
        #expect(isOver)
        let error = (judge.end.value ?? nil) as? URLError
        #expect(error?.code == .serverCertificateUntrusted, "\(String(describing: error))")
      }
    }
    session.invalidateAndCancel()
    await server.stop()
  }

  @Test(arguments: [true, false]) func theDefaultIsThatOfTheAuthorities(_ isTrusted: Bool) async throws {
    let server = try await StartTLSServer.start()
    let session = try await session { if !isTrusted { $0.certificateAuthorityFile = nil } }
    let judge = Judge { $1(.performDefaultHandling, nil) }
    let task = try await begun(session, server, judge)
    if isTrusted {
      try await task.write(Data("echo secret\n".utf8), timeout: 60)
      let answer = try await line(task)
      #expect(answer == "secret")
    } else {
      await #expect(throws: URLError.self) {
        try await task.write(Data("echo secret\n".utf8), timeout: 60)
        _ = try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
      }
      let isOver = await judge.end.wait { $0 != nil }
      #expect(isOver)
      let error = (judge.end.value ?? nil) as? URLError
      #expect(
        error?.code == .serverCertificateUntrusted,
        "\(String(describing: error))")
    }
    #expect(judge.spaces.value.count == 1)
    session.invalidateAndCancel()
    await server.stop()
  }

  @Test func aChallengeThatIsCancelled() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session()
    let judge = Judge { $1(.cancelAuthenticationChallenge, nil) }
    let task = try await begun(session, server, judge)
    let error = await #expect(throws: URLError.self) {
      try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 60)
    }
    #expect(error?.code == .cancelled)
    let isOver = await judge.end.wait { $0 != nil }
    #expect(isOver)
    session.invalidateAndCancel()
    await server.stop()
  }

  /// The task ends while somebody thinks.
  @Test func aTaskThatIsCancelledMeanwhile() async throws {
    let server = try await StartTLSServer.start()
    let session = try await session()
    let pending = Watched<(@Sendable () -> Void)?>(nil)
    let judge = Judge { challenge, answer in pending.update { $0 = { Self.trust(challenge, answer) } } }
    let task = try await begun(session, server, judge)
    let isAsked = await pending.wait { $0 != nil }
    #expect(isAsked)
    task.cancel()
    let isOver = await judge.end.wait { $0 != nil }
    #expect(isOver)
    pending.value?()
    let error = await #expect(throws: URLError.self) { try await task.write(Data([1]), timeout: 60) }
    #expect(error?.code == .cancelled)
    session.invalidateAndCancel()
    await server.stop()
  }
}
