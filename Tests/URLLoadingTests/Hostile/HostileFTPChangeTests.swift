import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Changes on FTP servers that refuse, lie, stop answering or go away; requests that would be more than one command.
@Suite(.timeLimit(.minutes(2))) struct HostileFTPChangeTests {
  private let session: URLSession

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    session = URLSession(configuration: configuration)
  }

  /// A server where nothing is at a target, and all is as it should be.
  private func server(_ change: (inout ScriptedFTPServer.Script) -> Void = { _ in }) throws -> ScriptedFTPServer {
    var script = ScriptedFTPServer.Script(file: Data())
    script.replies = [
      "SIZE": "550 none", "MDTM": "550 none", "CWD b": "550 none", "CWD f": "550 no directory", "DELE": "250 gone",
      "RMD": "250 gone", "MKD": "257 made", "RNFR": "350 to?", "RNTO": "250 moved",
    ]
    change(&script)
    return try ScriptedFTPServer(script)
  }

  private func request(_ method: String, _ url: URL, to target: URL? = nil, _ fields: [String: String] = [:])
    -> URLRequest
  {
    var request = URLRequest(url: url)
    request.httpMethod = method
    if let target { request.setValue(target.absoluteString, forHTTPHeaderField: "Destination") }
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  private func request(_ method: String, on server: ScriptedFTPServer, _ path: String = "/f") -> URLRequest {
    request(method, server.url(path), to: method == "MOVE" ? server.url("/b") : nil, ["Overwrite": "F"])
  }

  @discardableResult
  private func expectFailure(
    _ code: URLError.Code, _ request: URLRequest, at location: SourceLocation = #_sourceLocation
  ) async -> String {
    let error = await #expect(throws: URLError.self, sourceLocation: location) { try await session.data(for: request) }
    let words = error?.localizedDescription ?? ""
    #expect(error?.code == code && error?.failingURL == request.url, "\(words)", sourceLocation: location)
    return words
  }

  /// The commands behind the login.
  private func commands(_ server: ScriptedFTPServer) -> [String] {
    server.commands.filter { !["USER", "PASS", "PWD", "QUIT"].contains($0.prefix { $0 != " " }) }
  }

  // MARK: What is sent

  @Test(arguments: [
    ("/f", ["DELE f"]), ("/%2Ff", ["CWD /", "DELE f"]), ("/a/c%20d/f", ["CWD a", "CWD c d", "DELE f"]),
    ("/d/", ["RMD d"]), ("/-f", ["DELE -f"]), ("/a%3Fb%23c%25", ["DELE a?b#c%"]), ("/%C3%BC", ["DELE ü"]),
    ("/a;b", ["DELE a;b"]), ("/a%3Btype=i", ["DELE a;type=i"]), ("/x#fragment", ["DELE x"]),
  ])
  func aNameIsOneArgument(path: String, expected: [String]) async throws {
    let server = try server()
    _ = try await session.data(for: request("DELETE", server.url(path)))
    #expect(commands(server) == expected)
    await server.stop()
  }

  @Test func aMoveIsOfTheDirectoryThatBothShare() async throws {
    let server = try server { $0.replies["CWD c"] = "550 none" }
    _ = try await session.data(
      for: request("MOVE", server.url("/%2Fa/f"), to: server.url("/%2Fa/c"), ["Overwrite": "F"]))
    #expect(
      commands(server) == ["CWD /", "CWD a", "CWD c", "TYPE I", "SIZE c", "MDTM c", "RNFR f", "RNTO c"])
    await server.stop()
  }

  /// A line end in a name would begin another command.
  @Test(arguments: [
    "/a%0D%0ADELE%20b", "/a%0ADELE%20b", "/a%0Db", "/a%00b", "/a%0D%0A/b", "/a%FF%F4b", "/a;type=i", "/a?b", "/a?",
    "/a/..",
    "/a/.", "/a/../",
  ])
  func whatNamesNoFileExactlyIsNotSent(path: String) async throws {
    let server = try server()
    for method in ["DELETE", "MKCOL", "MOVE"] {
      await expectFailure(.badURL, request(method, on: server, path))
    }
    let error = await #expect(throws: URLError.self) {
      try await session.data(for: request("MOVE", server.url("/f"), to: server.url(path)))
    }
    #expect(error?.code == .badURL && error?.failingURL == server.url(path))
    #expect(server.connectionCount == 0)
    await server.stop()
  }

  @Test(arguments: [
    ("If-Match", "\"a\""), ("If-Match", "*"), ("If-Unmodified-Since", "Thu, 01 Jan 2026 00:00:00 GMT"),
    ("If-None-Match", "\"a\""), ("Overwrite", "X"),
  ])
  func conditionsThatCannotBeKeptAreRefused(field: String, value: String) async throws {
    let server = try server()
    for method in ["DELETE", "MKCOL", "MOVE"] {
      var request = request(method, on: server)
      request.setValue(value, forHTTPHeaderField: field)
      let words = await expectFailure(.unsupportedURL, request)
      #expect(words.contains(field), "\(words)")
    }
    #expect(server.connectionCount == 0)
    await server.stop()
  }

  @Test func aDirectoryWithoutANameIsKept() async throws {
    let server = try server()
    for path in ["", "/", "/%2F", "//"] {
      await expectFailure(.cannotRemoveFile, request("DELETE", server.url(path)))
      await expectFailure(.cannotCreateFile, request("MKCOL", server.url(path)))
      await expectFailure(.cannotMoveFile, request("MOVE", server.url(path), to: server.url("/b")))
      await expectFailure(.cannotMoveFile, request("MOVE", server.url("/f"), to: server.url(path)))
    }
    #expect(server.connectionCount == 0)
    await server.stop()
  }

  // MARK: What the server replies

  @Test(arguments: [
    ("DELETE", "DELE", "550 \u{7} odd text ü", URLError.Code.fileDoesNotExist),
    ("DELETE", "DELE", "450 odd", .cannotRemoveFile),
    ("DELETE", "DELE", "150 soon", .badServerResponse),
    ("DELETE", "DELE", "550-first\r\n 250 x\r\n550 odd", .fileDoesNotExist),
    ("MKCOL", "MKD", "550 odd", .cannotCreateFile), ("MKCOL", "MKD", "999 odd", .badServerResponse),
    ("MOVE", "RNFR", "550 odd", .fileDoesNotExist), ("MOVE", "RNFR", "200 at once", .badServerResponse),
    ("MOVE", "RNTO", "550 odd", .cannotMoveFile), ("MOVE", "RNTO", "350 odd", .badServerResponse),
    ("MOVE", "CWD b", "250 in", .cannotMoveFile), ("MOVE", "SIZE", "213 5", .cannotMoveFile),
  ])
  func aRefusalIsAnError(method: String, command: String, reply: String, code: URLError.Code) async throws {
    let server = try server {
      $0.replies[command] = reply
      if command == "DELE" { $0.replies["RMD"] = "550 odd" }
    }
    let words = await expectFailure(code, request(method, on: server))
    if reply.hasSuffix("odd") { #expect(words.contains("odd"), "\(words)") }
    let count = server.count(of: String(command.prefix { $0 != " " }))
    #expect(count == 1 && server.connectionCount == 1, "\(server.commands)")
    if command != "RNTO" { #expect(server.count(of: "RNTO") == 0) }
    await server.stop()
  }

  /// A reply of some length, and no more of one than of others.
  @Test func aLongReply() async throws {
    let server = try server { $0.replies["MKD"] = "550 " + String(repeating: "x", count: 5000) }
    let words = await expectFailure(.cannotCreateFile, request("MKCOL", on: server))
    #expect(words.count < 1000)
    await server.stop()
  }

  @Test func otherCodesOfSuccessAreSuccesses() async throws {
    let server = try server {
      for command in ["DELE", "MKD", "RNTO"] { $0.replies[command] = "200-well\r\n200 ok" }
    }
    for method in ["DELETE", "MKCOL", "MOVE"] { _ = try await session.data(for: request(method, on: server)) }
    await server.stop()
  }

  @Test func aServerThatWantsALoginForTheChangeIsGivenOne() async throws {
    let server = try server {
      $0.replies["DELE"] = "530 who are you?"
      $0.laterReplies["DELE"] = "250 gone"
    }
    let other = try self.server { $0.replies["RNTO"] = "530 no" }
    await expectFailure(.userAuthenticationRequired, request("MOVE", on: other))
    #expect(other.count(of: "RNTO") == 1)
    await other.stop()
    let credential = URLCredential(user: "me", password: "x", persistence: .none)
    let client = RecordedSession(LoadRecorder(onChallenge: { _ in (.useCredential, credential) }))
    let record = await client.load(request("DELETE", on: server))
    #expect(record.error == nil && record.challenges.count == 1)
    #expect(server.count(of: "DELE") == 2 && server.commands.contains("USER me"))
    await server.stop()
  }

  // MARK: What becomes of the connection

  @Test(arguments: [
    ("DELETE", "DELE", true), ("DELETE", "RMD", true), ("MKCOL", "MKD", true), ("MOVE", "RNTO", true),
    ("MOVE", "RNFR", false),
    ("MOVE", "SIZE", false), ("MOVE", "CWD", false), ("MOVE", "TYPE", false),
  ])
  func aLostConnectionFailsTheLoadAndNothingIsRepeated(method: String, command: String, isOpen: Bool) async throws {
    let server = try server {
      $0.closing = [command]
      if command == "RMD" { $0.replies["DELE"] = "550 a directory" }
    }
    let words = await expectFailure(.networkConnectionLost, request(method, on: server))
    #expect(words.contains("nothing tells") == isOpen, "\(words)")
    #expect(server.count(of: command) == 1 && server.connectionCount == 1, "\(server.commands)")
    await server.stop()
  }

  @Test(
    arguments: [("DELETE", "DELE"), ("MKCOL", "MKD"), ("MOVE", "RNFR"), ("MOVE", "RNTO"), ("MOVE", "SIZE")],
    [nil, "hello there"])
  func aServerThatDoesNotAnswerIsNotWaitedForForEver(_ step: (String, String), garbage: String?) async throws {
    let (method, command) = step
    let server = try server { $0.replies[command] = .some(garbage) }
    var request = request(method, on: server)
    request.timeoutInterval = 1
    let clock = ContinuousClock()
    let start = clock.now
    await expectFailure(.timedOut, request)
    #expect(clock.now - start < .seconds(20))
    #expect(server.count(of: command) == 1 && server.connectionCount == 1, "\(server.commands)")
    await server.stop()
  }

  /// A question that has no answer is waited for as the load says, and not asked of another connection.
  @Test func aSlowAnswerIsOne() async throws {
    let server = try server { $0.delays["SIZE"] = .seconds(3) }
    _ = try await session.data(for: request("MOVE", on: server))
    #expect(server.count(of: "SIZE") == 1 && server.connectionCount == 1)
    await server.stop()
  }

  @Test(arguments: ["CWD", "TYPE", "SIZE", "MDTM", "RNFR", "RNTO"])
  func aCancelledMoveSendsNothingMore(command: String) async throws {
    let server = try server { $0.replies[command == "CWD" ? "CWD b" : command] = .some(nil) }
    let (session, request) = (session, request("MOVE", on: server))
    let move = Task { try await session.data(for: request) }
    #expect(await server.receives(command))
    move.cancel()
    let error = await #expect(throws: URLError.self) { try await move.value }
    #expect(error?.code == .cancelled)
    // The session works on.
    server.change { $0.replies[command == "CWD" ? "CWD b" : command] = "550 none" }
    _ = try await session.data(for: self.request("MKCOL", on: server))
    #expect(server.count(of: command) == 1 && server.count(of: "RNTO") == (command == "RNTO" ? 1 : 0))
    await server.stop()
  }

  @Test func cancelledAtAnyMomentALoadEndsOnce() async throws {
    let server = try server()
    for step in 0..<60 {
      let ends = Watched<[URLError.Code?]>([])
      let task = session.dataTask(with: request("MOVE", on: server)) { _, _, error in
        ends.update { $0.append((error as? URLError)?.code) }
      }
      task.resume()
      try await Task.sleep(for: .microseconds(step * 100))
      task.cancel()
      #expect(await ends.wait { !$0.isEmpty })
      #expect(ends.value.count == 1 && [.cancelled, nil].contains(ends.value[0]), "step \(step): \(ends.value)")
    }
    _ = try await session.data(for: request("MOVE", on: server))
    await server.stop()
  }
}
