import Foundation
import Logging
import Testing
import URLLoading
import URLLoadingLogging
import URLLoadingTestServers

/// What a logger gets of loads from real servers.
@Suite(.timeLimit(.minutes(4))) struct LoggingTests {
  private let lines = Watched<[RecordingHandler.Line]>([])

  private func session(
    level: Logger.Level = .trace, includesSecrets: Bool = false, cache: URLCache? = nil
  ) -> URLSession {
    var logger = Logger(label: "loads") { _ in RecordingHandler(lines) }
    logger.logLevel = level
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = cache
    configuration.sessionEventListener = LoggingEventListener(logger, includesSecrets: includesSecrets)
    return URLSession(configuration: configuration)
  }

  private func line(_ message: String) throws -> RecordingHandler.Line {
    try #require(lines.value.first { $0.message == message }, "\(lines.value.map(\.message))")
  }

  @Test func aLoadIsLoggedFromItsBeginningToItsEnd() async throws {
    let server = try await NginxServer.shared
    _ = try await session().data(from: server.url())
    let messages = lines.value.map(\.message)
    #expect(messages.first == "load" && messages.last == "loaded")
    for expected in ["attempt", "connected", "sent", "response"] { #expect(messages.contains(expected), "\(messages)") }
    let end = try line("loaded")
    #expect(end.level == .info)
    #expect(end.metadata["status"] == "200" && end.metadata["received"] == "1024")
    #expect(end.metadata["requests"] == "1" && end.metadata["method"] == "GET")
    #expect(end.metadata["url"] == server.url().absoluteString)
    #expect(Double(end.metadata["duration"] ?? "").map { $0 > 0 } == true)
    #expect(Set(lines.value.map { $0.metadata["task"] }).count == 1)
    #expect(try line("connected").metadata["port"] == "\(server.port())")
  }

  @Test func redirectsAreDecisions() async throws {
    let server = try await NginxServer.shared
    _ = try await session(level: .debug).data(from: server.url("/redirect/302?to=/small.txt"))
    #expect(lines.value.map(\.message) == ["redirect", "loaded"])
    let redirect = try line("redirect")
    #expect(redirect.level == .debug && redirect.metadata["status"] == "302")
    #expect(redirect.metadata["to"]?.hasSuffix("/small.txt") == true)
    #expect(try line("loaded").metadata["redirects"] == "1")
  }

  @Test func failuresAreLoggedWithoutPasswords() async throws {
    let port = try FreePort.pick()
    let url = try #require(URL(string: "http://me:hunter2@127.0.0.1:\(port)/x"))
    for includesSecrets in [false, true] {
      lines.update { $0 = [] }
      _ = try? await session(includesSecrets: includesSecrets).data(from: url)
      let failure = try line("failed")
      #expect(failure.level == .warning)
      #expect(failure.metadata["code"] == "NSURLErrorDomain \(URLError.Code.cannotConnectToHost.rawValue)")
      #expect(failure.metadata["error"]?.isEmpty == false)
      let text = lines.value.map { "\($0.message) \($0.metadata)" }.joined()
      #expect(text.contains("hunter2") == includesSecrets, "\(text)")
      #expect(text.contains("me:***@") != includesSecrets, "\(text)")
    }
  }

  private final class Answering: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let credential = URLCredential(user: AuthServer.user, password: AuthServer.password, persistence: .none)
      completionHandler(.useCredential, credential)
    }
  }

  @Test func challengesAreLoggedWithTheUserAlone() async throws {
    let server = try await AuthServer.shared
    _ = try await session().data(from: server.url("/basic"), delegate: Answering())
    let answer = try line("challenge answered")
    #expect(answer.metadata["user"] == AuthServer.user && answer.metadata["realm"] == AuthServer.realm)
    #expect(try line("challenge").metadata["method"] == NSURLAuthenticationMethodHTTPBasic)
    let text = lines.value.map { "\($0.metadata)" }.joined()
    #expect(!text.contains(AuthServer.password) && !text.contains("Authorization"), "\(text)")
  }

  @Test func theCacheSaysWhy() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(fields: ["Cache-Control": "max-age=60"], text: "x") }
    let session = session(level: .debug, cache: URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    for _ in 0..<2 { _ = try await session.data(from: server.url()) }
    #expect(lines.value.map(\.message) == ["cache miss", "stored", "loaded", "cache hit", "loaded"])
    #expect(try line("cache miss").metadata["reason"] == "nothing-stored")
    #expect(try line("cache hit").metadata["reason"] == "fresh")
  }

  @Test func levelsCanBeChosen() async throws {
    let server = try await NginxServer.shared
    var levels = LoggingEventListener.Levels()
    levels.endings = .critical
    var logger = Logger(label: "loads") { _ in RecordingHandler(lines) }
    logger.logLevel = .error
    let configuration = URLSessionConfiguration.ephemeral
    configuration.sessionEventListener = LoggingEventListener(logger, levels: levels)
    _ = try await URLSession(configuration: configuration).data(from: server.url())
    #expect(lines.value.map(\.level) == [.critical])
  }
}
