import Foundation
import Testing
import URLLoadingCurlTransport

/// Credentials that libcurl puts on requests.
@Suite struct AuthenticationTests {
  /// Asks for Digest, and answers 200 when an Authorization field comes.
  private func digestServer(_ heads: SharedValue<[String]>) throws -> ScriptServer {
    try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        heads.withLock { $0.append(head) }
        let isAuthorized = head.contains("Authorization: Digest") && head.contains("username=\"user\"")
        let length = head.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        let body = connection.read(length.flatMap { Int($0.dropFirst(16)) } ?? 0)
        if isAuthorized {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
          connection.send(body)
        } else {
          connection.send(
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n1\", qop=\"auth\"\r\n"
              + "Content-Length: 6\r\n\r\ndenied")
        }
      }
    }
  }

  @Test func withoutACredentialTheChallengeIsTheResponse() async throws {
    let server = try digestServer(SharedValue([]))
    let state = try await makeEngine().get(server.url())
    #expect(state.head?.statusCode == 401)
    #expect(state.body == Array("denied".utf8))
  }

  @Test(arguments: [0, 3000])
  func digestIsAnsweredWithoutTheHandler(count: Int) async throws {
    let heads = SharedValue<[String]>([])
    let server = try digestServer(heads)
    var request = TransferRequest(url: server.url("/p?q=1"))
    request.credential = TransferCredential(user: "user", password: "pass", schemes: .digest)
    let bytes = pattern(count)
    if count > 0 {
      request.method = "POST"
      request.body = .source(TestBodySource(bytes), length: Int64(count))
    }
    let state = try await makeEngine().run(request)
    #expect(state.failure == nil)
    #expect(state.head?.statusCode == 200)
    #expect(state.events.filter { $0 == "head" }.count == 1)
    #expect(state.events.filter { $0 == "queue" }.count == 1)
    #expect(state.body == bytes)
    #expect(heads.withLock { $0.count } == 2)
    #expect(heads.withLock { $0.last ?? "" }.contains("uri=\"/p?q=1\""))
  }

  @Test func aWrongCredentialGivesTheChallenge() async throws {
    let server = try digestServer(SharedValue([]))
    let engine = makeEngine()
    var request = TransferRequest(url: server.url())
    request.credential = TransferCredential(user: "other", password: "pass", schemes: .digest)
    let state = try await engine.run(request)
    #expect(state.head?.statusCode == 401)
    #expect(state.body == Array("denied".utf8))
    #expect(state.events == ["queue", "head", "body", "complete"])
    request.method = "HEAD"
    #expect(try await engine.run(request).head?.statusCode == 401)
  }

  @Test func basicIsSentAtOnceAndNotRemembered() async throws {
    let heads = SharedValue<[String]>([])
    let server = try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        heads.withLock { $0.append(head) }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let engine = makeEngine()
    var request = TransferRequest(url: server.url())
    request.credential = TransferCredential(user: "user", password: "pä:ss", schemes: .basic)
    #expect(try await engine.run(request).failure == nil)
    #expect(try await engine.get(server.url()).failure == nil)
    let seen = heads.withLock { $0 }
    #expect(seen.count == 2)
    #expect(seen[0].contains("Authorization: Basic \(Data("user:pä:ss".utf8).base64EncodedString())\r\n"))
    #expect(!seen[1].contains("Authorization"))
  }

  @Test func aLineEndInACredentialIsRefused() async throws {
    var request = TransferRequest(url: "http://127.0.0.1:1/")
    request.credential = TransferCredential(user: "a\r\nX: y", password: "", schemes: .basic)
    let failure = try #require(try await makeEngine().run(request).failure)
    guard case .invalidRequest = failure.reason else {
      Issue.record("\(failure)")
      return
    }
  }
}
