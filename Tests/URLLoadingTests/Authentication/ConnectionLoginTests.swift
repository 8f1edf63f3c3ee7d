import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Logins that belong to connections: NTLM and Negotiate.
@Suite(.timeLimit(.minutes(4))) struct ConnectionLoginTests {
  /// Answers with a user and a password, once a load.
  private static func delegate(_ user: String, _ password: String) -> TrustDelegate {
    TrustDelegate { challenge in
      guard challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(user: user, password: password, persistence: .none))
    }
  }

  private func text(_ session: URLSession, _ url: URL) async throws -> (status: Int, text: String) {
    let (data, response) = try await session.data(from: url)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  @Test func ntlmLogsIn() async throws {
    let server = try await LoginServer.ntlm()
    let delegate = Self.delegate("TEST\\alice", "secret")
    let session = delegate.session()
    for path in ["/a", "/b"] {
      let (status, text) = try await text(session, server.url(path))
      #expect(status == 200 && text.hasPrefix("TEST\\alice ") && text.hasSuffix(path))
    }
    #expect(delegate.methods == [NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNTLM])
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  @Test func aWrongPasswordIsRefused() async throws {
    let server = try await LoginServer.ntlm()
    let delegate = Self.delegate("TEST\\alice", "wrong")
    let session = delegate.session()
    #expect(try await text(session, server.url()).status == 401)
    #expect(delegate.challenges.value.map(\.previousFailureCount) == [0, 1])
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  @Test func twoUsersNeverShareAConnection() async throws {
    let server = try await LoginServer.ntlm()
    // One session whose tasks log in as different users, and one for each user.
    let sessions = LoginServer.users.map { user, password in
      (user, Self.delegate("\(LoginServer.domain)\\\(user)", password).session())
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    let shared = URLSession(configuration: configuration)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          if index % 2 == 0 {
            let (user, session) = sessions[index / 2 % sessions.count]
            let (status, text) = try await self.text(session, server.url("/\(user)/\(index)"))
            #expect(status == 200 && text.hasPrefix("TEST\\\(user) "))
          } else {
            let (user, password) = Array(LoginServer.users)[index / 2 % 2]
            let own = OwnLogin(user: "\(LoginServer.domain)\\\(user)", password: password)
            let (data, _) = try await shared.data(from: server.url("/\(user)/\(index)"), delegate: own)
            #expect(String(decoding: data, as: UTF8.self).hasPrefix("TEST\\\(user) "))
          }
        }
      }
      try await group.waitForAll()
    }
    // Of one connection, the server has served one user.
    var users: [String: Set<String>] = [:]
    for line in server.log where line.hasPrefix("served ") {
      let parts = line.split(separator: " ").map(String.init)
      users[parts[1], default: []].insert(parts[2])
    }
    #expect(users.values.allSatisfy { $0.count == 1 } && Set(users.values.flatMap { $0 }).count == 2)
    for (_, session) in sessions { session.finishTasksAndInvalidate() }
    shared.finishTasksAndInvalidate()
    await server.stop()
  }

  @Test(.enabled(if: KerberosRealm.obstacle == nil)) func aTicketLogsInByNegotiate() async throws {
    let realm = try await KerberosRealm.start()
    let server = try await LoginServer.negotiate(in: realm)
    let directory = try TemporaryDirectory("negotiate-worker")
    let worker = try DownloadWorker(
      ["negotiate", server.url("/x").absoluteString], in: directory, environment: realm.environment)
    #expect(await worker.process.waitForExit(timeout: .seconds(30)) == .exited(0))
    #expect(worker.lines.count == 2)
    #expect(
      worker.lines.allSatisfy { $0.hasPrefix("200 \(KerberosRealm.user) ") && $0.hasSuffix("/x") }, "\(worker.lines)")
    // Without tickets the error says what is missing.
    var environment = realm.environment
    environment["KRB5CCNAME"] = "FILE:\(directory.file("none").path)"
    let other = try DownloadWorker(
      ["negotiate", server.url("/y").absoluteString], in: directory, environment: environment)
    #expect(await other.process.waitForExit(timeout: .seconds(30)) == .exited(0))
    #expect(
      other.lines.first?.hasPrefix("\(URLError.Code.userAuthenticationRequired.rawValue) ") == true, "\(other.lines)")
    #expect(other.lines.first?.contains("kinit") == true)
    await server.stop()
    await realm.stop()
  }
}

/// A task's delegate that logs in.
private final class OwnLogin: NSObject, URLSessionTaskDelegate, Sendable {
  private let user: String
  private let password: String

  init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard challenge.previousFailureCount == 0 else { return (.performDefaultHandling, nil) }
    return (.useCredential, URLCredential(user: user, password: password, persistence: .none))
  }
}
