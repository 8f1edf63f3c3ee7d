import Foundation
import Testing
import URLLoading
import URLLoadingCurlTransport
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

  @Test(.enabled(if: TransferLibrary.speaksNTLM)) func ntlmLogsIn() async throws {
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

  /// A library that cannot log in by it has no question for anybody.
  @Test(.enabled(if: !TransferLibrary.speaksNTLM)) func ntlmIsNotAnsweredByALibraryWithoutIt() async throws {
    let server = try await LoginServer.ntlm()
    let delegate = Self.delegate("TEST\\alice", "secret")
    let session = delegate.session()
    #expect(try await text(session, server.url()).status == 401)
    #expect(delegate.challenges.value.isEmpty)
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  @Test(.enabled(if: TransferLibrary.speaksNTLM)) func aWrongPasswordIsRefused() async throws {
    let server = try await LoginServer.ntlm()
    let delegate = Self.delegate("TEST\\alice", "wrong")
    let session = delegate.session()
    #expect(try await text(session, server.url()).status == 401)
    #expect(delegate.challenges.value.map(\.previousFailureCount) == [0, 1])
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  /// 1,000 loads of two users: of a session for each, of another session for the first, and of one session whose tasks log in as
  /// different users.
  @Test(.enabled(if: TransferLibrary.speaksNTLM)) func twoUsersNeverShareAConnection() async throws {
    let server = try await LoginServer.ntlm()
    let count = 1000
    let users = LoginServer.users.sorted { $0.key < $1.key }
    let owners = (users + users.prefix(1)).map { user, password in
      (user: user, session: Self.delegate("\(LoginServer.domain)\\\(user)", password).session())
    }
    // Without a delegate of its own, which would be asked first.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.urlCache = nil
    let shared = URLSession(configuration: configuration)
    let logins = users.map { OwnLogin(user: "\(LoginServer.domain)\\\($0.key)", password: $0.value) }
    var random = SeededGenerator(seed: 27)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<count {
        let choice = Int.random(in: 0..<owners.count + users.count, using: &random)
        group.addTask {
          let isOwn = choice < owners.count
          let user = isOwn ? owners[choice].user : users[choice - owners.count].key
          // The path says who loads, beside the user.
          let url = server.url("/\(isOwn ? "session-\(choice)" : "tasks")/\(user)/\(index)")
          let (data, _) =
            try await
            (isOwn
            ? owners[choice].session.data(from: url)
            : shared.data(from: url, delegate: logins[choice - owners.count]))
          #expect(String(decoding: data, as: UTF8.self).hasPrefix("TEST\\\(user) "))
        }
        // So many at once that connections are used again, and new ones made.
        if index >= 40 { try await group.next() }
      }
      try await group.waitForAll()
    }
    // Of one connection, the server has served one user, and one session: `served number user path`.
    var owner: [String: Set<String>] = [:]
    var served = 0
    for line in server.log where line.hasPrefix("served ") {
      let parts = line.split(separator: " ").map(String.init)
      let path = parts[3].split(separator: "/")
      #expect(parts[2] == "TEST\\\(path[1])")
      owner[parts[1], default: []].insert("\(parts[2]) \(path[0])")
      served += 1
    }
    #expect(served == count)
    #expect(owner.values.allSatisfy { $0.count == 1 }, "\(owner.filter { $0.value.count > 1 })")
    #expect(Set(owner.values.flatMap { $0 }).count == owners.count + users.count)
    // Connections were used again: otherwise this says nothing.
    #expect(owner.count < count / 4, "\(owner.count) connections")
    for (_, session) in owners { session.finishTasksAndInvalidate() }
    shared.finishTasksAndInvalidate()
    await server.stop()
  }

  /// Of requests for `http` that the proxy answers, and of tunnels.
  @Test(.enabled(if: TransferLibrary.speaksNTLM), arguments: [NginxServer.Listener.http, .https])
  func twoUsersOfAProxyNeverShareAConnection(_ listener: NginxServer.Listener) async throws {
    let proxy = try await LoginServer.ntlm(isProxy: true)
    let nginx = try await NginxServer.shared
    let authority = try await TestCertificates.shared.authority
    let users = LoginServer.users.sorted { $0.key < $1.key }
    let sessions = users.map { user, password in
      Self.delegate("\(LoginServer.domain)\\\(user)", password).session {
        $0.certificateAuthorityFile = authority
        $0.connectionProxyDictionary = [
          kCFNetworkProxiesHTTPProxy: "127.0.0.1", kCFNetworkProxiesHTTPPort: Int(proxy.port),
          kCFNetworkProxiesHTTPSProxy: "127.0.0.1", kCFNetworkProxiesHTTPSPort: Int(proxy.port),
        ]
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<100 {
        group.addTask {
          let url = nginx.url("/small.txt?\(users[index % 2].key)-\(index)", on: listener)
          let (data, response) = try await sessions[index % 2].data(from: url)
          #expect((response as? HTTPURLResponse)?.statusCode == 200)
          let isTunnel = listener == .https
          #expect(
            isTunnel ? data == DocumentRoot.small : data.starts(with: Data("TEST\\\(users[index % 2].key) ".utf8)))
        }
      }
      try await group.waitForAll()
    }
    var owners: [String: Set<String>] = [:]
    for line in proxy.log where line.hasPrefix("served ") {
      let parts = line.split(separator: " ").map(String.init)
      owners[parts[1], default: []].insert(parts[2])
    }
    #expect(owners.values.allSatisfy { $0.count == 1 } && Set(owners.values.flatMap { $0 }).count == 2, "\(owners)")
    for session in sessions { session.finishTasksAndInvalidate() }
    await proxy.stop()
  }

  @Test(.enabled(if: KerberosRealm.obstacle == nil)) func aTicketLogsInByNegotiate() async throws {
    let realm = try await KerberosRealm.start()
    let server = try await LoginServer.negotiate(in: realm)
    let directory = try TemporaryDirectory("negotiate-worker")
    let worker = try DownloadWorker(
      ["negotiate", server.url("/x").absoluteString, "", ""], in: directory, environment: realm.environment)
    #expect(await worker.process.waitForExit(timeout: .seconds(30)) == .exited(0))
    #expect(worker.lines.count == 2)
    #expect(
      worker.lines.allSatisfy { $0.hasPrefix("200 \(KerberosRealm.user) ") && $0.hasSuffix("/x") }, "\(worker.lines)")
    // Without tickets the error says what is missing.
    var environment = realm.environment
    environment["KRB5CCNAME"] = "FILE:\(directory.file("none").path)"
    let other = try DownloadWorker(
      ["negotiate", server.url("/y").absoluteString, "", ""], in: directory, environment: environment)
    #expect(await other.process.waitForExit(timeout: .seconds(30)) == .exited(0))
    #expect(
      other.lines.first?.hasPrefix("\(URLError.Code.userAuthenticationRequired.rawValue) ") == true, "\(other.lines)")
    #expect(other.lines.first?.contains("kinit") == true)
    await server.stop()
    await realm.stop()
  }

  @Test(.enabled(if: KerberosRealm.obstacle == nil)) func aTicketLogsInToAProxy() async throws {
    let realm = try await KerberosRealm.start()
    let squid = try await SquidServer.start(in: realm)
    let nginx = try await NginxServer.shared
    let directory = try TemporaryDirectory("negotiate-proxy")
    let authority = try await TestCertificates.shared.authority.path
    // Through a tunnel as well.
    for listener in [NginxServer.Listener.http, .https] {
      let worker = try DownloadWorker(
        ["negotiate", nginx.url("/echo", on: listener).absoluteString, String(squid.port), authority], in: directory,
        environment: realm.environment)
      #expect(await worker.process.waitForExit(timeout: .seconds(30)) == .exited(0))
      #expect(worker.lines.filter { $0.hasPrefix("200 ") }.count == 2, "\(worker.lines)")
    }
    #expect(await squid.waitForRequest(KerberosRealm.user))
    await squid.stop()
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
