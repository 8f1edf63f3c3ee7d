import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Basic and Digest authentication against a real server.
@Suite(.timeLimit(.minutes(4))) struct ChallengeTests {
  private static let right = URLCredential(
    user: AuthServer.user, password: AuthServer.password, persistence: .forSession)
  private static let wrong = URLCredential(user: AuthServer.user, password: "wrong", persistence: .forSession)

  private static func answering(_ answer: LoadRecorder.ChallengeAnswer) -> RecordedSession {
    let (disposition, credential) = answer
    return RecordedSession(LoadRecorder(onChallenge: { _ in (disposition, credential) }))
  }

  private static func user(of record: LoadRecord) -> String? {
    (try? JSONSerialization.jsonObject(with: record.body) as? [String: String])?["user"]
  }

  @Test(arguments: ["/basic", "/digest/md5", "/digest/sha256", "/digest/both", "/digest/legacy"], LoadKind.allCases)
  func theRightCredentialOpensTheResource(_ path: String, _ kind: LoadKind) async throws {
    let server = try await AuthServer.shared
    let client = Self.answering((.useCredential, Self.right))
    let record = await client.load(server.url(path), as: kind)
    #expect(record.status == 200 && record.error == nil)
    #expect(Self.user(of: record) == AuthServer.user)
    guard kind != .async else { return }
    let challenge = try #require(record.challenges.first)
    #expect(record.challenges.count == 1)
    #expect(challenge.previousFailureCount == 0)
    #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
    let space = challenge.protectionSpace
    #expect(space.host == "127.0.0.1" && space.port == Int(server.port) && space.protocol == "http")
    #expect(space.realm == AuthServer.realm && !space.isProxy())
    #expect(
      space.authenticationMethod
        == (path == "/basic" ? NSURLAuthenticationMethodHTTPBasic : NSURLAuthenticationMethodHTTPDigest))
  }

  @Test func theChallengeComesBeforeAnythingOfThe401() async throws {
    let server = try await AuthServer.shared
    let record = await Self.answering((.useCredential, Self.right)).load(server.url("/basic"))
    #expect(record.events.first == "challenge" && record.events.dropFirst().first == "response")
    #expect(record.status == 200 && !record.text.contains("authenticate"))
  }

  @Test(arguments: LoadKind.allCases)
  func aDeclinedChallengeMakesThe401TheResult(_ kind: LoadKind) async throws {
    let server = try await AuthServer.shared
    for answer: URLSession.AuthChallengeDisposition in [
      .performDefaultHandling, .useCredential, .rejectProtectionSpace,
    ] {
      let record = await Self.answering((answer, nil)).load(server.url("/basic"), as: kind)
      #expect(record.status == 401 && record.text == "authenticate\n" && record.error == nil, "\(answer)")
    }
  }

  @Test func withoutADelegateThe401IsTheResult() async throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let (body, response) = try await session.data(from: AuthServer.shared.url("/digest/md5"))
    #expect((response as? HTTPURLResponse)?.statusCode == 401 && body == Data("authenticate\n".utf8))
  }

  @Test(arguments: LoadKind.allCases)
  func aCancelledChallengeCancelsTheTask(_ kind: LoadKind) async throws {
    let server = try await AuthServer.shared
    let record = await Self.answering((.cancelAuthenticationChallenge, nil)).load(server.url("/basic"), as: kind)
    #expect(record.code == .cancelled && record.completions == 1 && record.response == nil)
  }

  @Test(arguments: ["/basic", "/digest/sha256"])
  func aWrongCredentialIsAskedAgainWithItsFailures(_ path: String) async throws {
    let server = try await AuthServer.shared
    let client = RecordedSession(
      LoadRecorder(onChallenge: { challenge in
        (.useCredential, challenge.previousFailureCount < 2 ? Self.wrong : Self.right)
      }))
    let record = await client.load(server.url(path))
    #expect(record.status == 200 && Self.user(of: record) == AuthServer.user)
    #expect(record.challenges.map(\.previousFailureCount) == [0, 1, 2])
  }

  @Test func aCredentialThatStaysWrongEnds() async throws {
    let server = try await AuthServer.shared
    let record = await Self.answering((.useCredential, Self.wrong)).load(server.url("/basic"))
    #expect(record.status == 401 && record.error == nil && record.completions == 1)
    #expect(record.challenges.count <= 20)
  }

  @Test func aRejectedProtectionSpaceLeadsToTheNextOne() async throws {
    let server = try await AuthServer.shared
    let client = RecordedSession(
      LoadRecorder(onChallenge: { challenge in
        challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
          ? (.useCredential, Self.right) : (.rejectProtectionSpace, nil)
      }))
    let record = await client.load(server.url("/either"))
    #expect(record.status == 200 && record.text.contains("\"Basic\""))
    let methods = record.challenges.map(\.protectionSpace.authenticationMethod)
    #expect(methods.last == NSURLAuthenticationMethodHTTPBasic && methods.count > 1)
  }

  @Test(arguments: ["/basic", "/digest/md5"], LoadKind.allCases)
  func theCredentialInTheURLIsUsedWithoutAsking(_ path: String, _ kind: LoadKind) async throws {
    let server = try await AuthServer.shared
    var components = try #require(URLComponents(url: server.url(path), resolvingAgainstBaseURL: false))
    components.user = AuthServer.user
    components.password = AuthServer.password
    let client = RecordedSession()
    let record = await client.load(try #require(components.url), as: kind)
    #expect(record.status == 200 && Self.user(of: record) == AuthServer.user && record.challenges.isEmpty)
  }

  @Test func aWrongCredentialInTheURLIsFollowedByAChallenge() async throws {
    let server = try await AuthServer.shared
    let url = try #require(URL(string: "http://someone:wrong@127.0.0.1:\(server.port)/basic"))
    let record = await Self.answering((.useCredential, Self.right)).load(url)
    #expect(record.status == 200 && record.challenges.map(\.previousFailureCount) == [1])
  }

  @Test(arguments: ["/basic", "/digest/sha256"], ["data", "file", "stream"])
  func theBodyIsSentAgainWithTheCredential(_ path: String, _ source: String) async throws {
    let server = try await AuthServer.shared
    let body = Data("a body to be sent twice".utf8)
    let client = RecordedSession(
      LoadRecorder(
        onChallenge: { _ in (.useCredential, Self.right) }, onStream: { _ in InputStream(data: body) }))
    var request = URLRequest(url: server.url(path))
    request.httpMethod = "POST"
    let folder = try TemporaryDirectory()
    let task =
      switch source {
      case "data": client.session.uploadTask(with: request, from: body)
      case "file": client.session.uploadTask(with: request, fromFile: try folder.write("body", body))
      default: client.session.uploadTask(withStreamedRequest: request)
      }
    let record = await client.run(task)
    let answer = try? JSONSerialization.jsonObject(with: record.body) as? [String: String]
    #expect(record.status == 200 && record.error == nil, "\(String(describing: record.error))")
    #expect(answer?["body"] == String(decoding: body, as: UTF8.self) && answer?["method"] == "POST")
    if source == "stream" { #expect(record.streams == 2) }
  }

  @Test func manyChallengesAtOnceAreAllAnswered() async throws {
    let server = try await AuthServer.shared
    let client = Self.answering((.useCredential, Self.right))
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<60 {
        group.addTask {
          let path = number.isMultiple(of: 2) ? "/basic?\(number)" : "/digest/md5?\(number)"
          return Self.user(of: await client.load(server.url(path))) == AuthServer.user
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }

  @Test func anEndlessBodyOfA401IsNotRead() async throws {
    let sent = Watched(0)
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        if request.fields["Authorization"] != nil {
          try connection.send(HTTPResponse(text: "in"))
          continue
        }
        try connection.send("HTTP/1.1 401 x\r\nWWW-Authenticate: Basic realm=\"r\"\r\n\r\n")
        while sent.value < 1 << 30 {
          try connection.send(Data(repeating: 0x61, count: 65_536))
          sent.update { $0 += 65_536 }
        }
      }
    }
    let record = await Self.answering((.useCredential, Self.right)).load(server.url())
    #expect(record.text == "in" && sent.value < 32 << 20)
  }

  @Test(arguments: [
    "Basic", "Basic realm=", "Unknown realm=\"x\"", "", "Digest",
    "Basic realm=\"" + String(repeating: "x", count: 9000),
  ])
  func aStrangeChallengeDoesNoHarm(_ field: String) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(401, fields: ["WWW-Authenticate": field], text: "no") }
    let record = await Self.answering((.useCredential, Self.wrong)).load(server.url())
    #expect(
      record.status == 401 && record.completions == 1 && record.error == nil, "\(String(describing: record.error))")
  }
}
