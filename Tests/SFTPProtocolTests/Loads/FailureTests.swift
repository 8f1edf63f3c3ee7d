import Foundation
import Glibc
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Connections that end, files that change, consumers that are slow, and loads that nobody wants any more.
@Suite struct SFTPFailureTests {
  @Test func aDownloadGoesOnWithAnotherConnection() async throws {
    let host = try PipedHost()
    let session = PipedProtocol.session()
    let count = 24 << 20
    try TestFiles.write(count: count, to: host.folder.file("f"))
    let (bytes, response) = try await session.bytes(from: host.url("f"))
    #expect(response.expectedContentLength == Int64(count))
    let expected = TestFiles.pattern(count: count)
    var position = 0
    for try await byte in bytes {
      if position == 1 << 20 { host.connections.value.first?.kill() }
      guard byte == expected[position] else { break }
      position += 1
    }
    #expect(position == count)
    #expect(host.connections.value.count == 2)
    await host.stop()
  }

  @Test func aNameThatCannotBeValidatedIsNotLookedUp() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [SFTPProtocol.self]
    configuration.requiresDNSSECValidation = true
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let url = try #require(URL(string: "sftp://files.invalid/a"))
    let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
    #expect(error?.code == .dnsLookupFailed && error?.failingURL == url)
  }

  @Test func aFileThatWasReplacedMeanwhileIsNotGoneOnWith() async throws {
    let host = try PipedHost()
    let session = PipedProtocol.session()
    try TestFiles.write(count: 24 << 20, to: host.folder.file("f"))
    let (bytes, _) = try await session.bytes(from: host.url("f"))
    var position = 0
    let error = await #expect(throws: URLError.self) {
      for try await _ in bytes {
        if position == 1 << 20 {
          try host.folder.write("f", "another")
          host.connections.value.first?.kill()
        }
        position += 1
      }
    }
    #expect(error?.code == .resourceUnavailable)
    await host.stop()
  }

  @Test(arguments: ["grow", "shrink", "change"])
  func aFileThatChangesWhileItIsReadIsAnError(how: String) async throws {
    let host = try PipedHost()
    let session = PipedProtocol.session()
    let count = 24 << 20
    let file = host.folder.file("f").path
    try TestFiles.write(count: count, to: host.folder.file("f"))
    let (bytes, _) = try await session.bytes(from: host.url("f"))
    var position = 0
    let error = await #expect(throws: URLError.self) {
      for try await _ in bytes {
        if position == 1 << 20 {
          switch how {
          case "grow": truncate(file, count + 5)
          case "shrink": truncate(file, 20 << 20)
          default:
            var times = [timeval(tv_sec: 1000, tv_usec: 0), timeval(tv_sec: 1000, tv_usec: 0)]
            utimes(file, &times)
          }
        }
        position += 1
      }
    }
    #expect(error?.code == .resourceUnavailable)
    #expect(
      error?.localizedDescription.contains(how == "shrink" ? "shrank" : how == "grow" ? "grew" : "changed") == true)
    #expect(position <= count)
    await host.stop()
  }

  @Test func aSlowReaderHoldsBackItsOwnLoadOnly() async throws {
    let host = try PipedHost()
    let session = PipedProtocol.session()
    try TestFiles.write(count: 64 << 20, to: host.folder.file("big"))
    try host.folder.write("small", "small")
    let (bytes, _) = try await session.bytes(from: host.url("big"))
    var iterator = bytes.makeAsyncIterator()
    _ = try await iterator.next()
    // Nobody reads on; another load on the same connection is not held up.
    #expect(try await session.data(from: host.url("small")).0 == Data("small".utf8))
    #expect(host.connections.value.count == 1)
    let task = bytes.task
    #expect(try await eventually { task.countOfBytesReceived > 0 })
    #expect(task.countOfBytesReceived < 16 << 20)
    bytes.task.cancel()
    await host.stop()
  }

  @Test func aServerThatDoesNotAnswerIsCancelledAtOnceAndTimedOut() async throws {
    let host = try PipedHost()
    let session = PipedProtocol.session()
    try host.folder.write("f", "x")
    _ = try await session.data(for: URLRequest(url: host.url("f")))
    host.connections.value.first?.freeze()
    let task = session.dataTask(with: host.url("f"))
    let ended = Watched<ContinuousClock.Instant?>(nil)
    task.delegate = CompletionObserver { ended.update { $0 = .now } }
    task.resume()
    #expect(try await eventually { task.state == .running })
    let start = ContinuousClock.now
    task.cancel()
    #expect(await ended.wait { $0 != nil })
    #expect(ended.value.map { start.duration(to: $0) < .milliseconds(100) } == true)

    var request = URLRequest(url: host.url("f"))
    request.timeoutInterval = 0.3
    let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
    #expect(error?.code == .timedOut)
    await host.stop()
  }

  @Test func aServerThatCannotBeReachedFails() async throws {
    let session = PipedProtocol.session()
    let url = try #require(URL(string: "sftp://nowhere/f"))
    let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
    #expect(error?.code == .cannotFindHost)
    #expect(error?.failingURL == url)
  }

  @Test func aServerThatAlwaysGoesAwayFails() async throws {
    let host = try PipedHost()
    let session = PipedProtocol.session()
    try host.folder.write("f", "x")
    let killing = Task {
      var killed = 0
      while !Task.isCancelled {
        let known = killed
        _ = await host.connections.wait(timeout: .milliseconds(50)) { $0.count > known }
        for connection in host.connections.value.dropFirst(killed) { connection.kill() }
        killed = host.connections.value.count
      }
    }
    for _ in 0..<5 {
      do {
        _ = try await session.data(from: host.url("f"))
      } catch let error as URLError {
        #expect(error.code == .networkConnectionLost)
      }
    }
    killing.cancel()
    await killing.value
    await host.stop()
  }

  @Test func aLoadThatIsCancelledLeavesNoFileOpen() async throws {
    let host = try PipedHost()
    let session = PipedProtocol.session()
    try TestFiles.write(count: 8 << 20, to: host.folder.file("f"))
    try host.folder.write("last", "x")
    for _ in 0..<100 {
      let task = session.dataTask(with: host.url("f"))
      task.resume()
      if Bool.random() { await Task.yield() }
      task.cancel()
    }
    // As many as the server takes, which fails if they were not closed.
    _ = try await session.data(from: host.url("last"))
    let server = try #require(host.connections.value.first)
    #expect(try await eventually { server.openFiles(named: host.folder.file("f").path) == 0 })
    await host.stop()
  }

  // MARK: Questions

  @Test func questionsGoToTheLoadsThatWait() async throws {
    let host = try PipedHost { questions in
      let credential = await questions.ask { sender in
        URLAuthenticationChallenge(
          protectionSpace: URLProtectionSpace(
            host: "h", port: 22, protocol: "sftp", realm: nil, authenticationMethod: NSURLAuthenticationMethodDefault),
          proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil, sender: sender)
      }
      return credential?.password == "right"
    }
    try host.folder.write("f", "x")
    let session = PipedProtocol.session()
    let error = await #expect(throws: URLError.self) { try await session.data(from: host.url("f")) }
    #expect(error?.code == .userAuthenticationRequired)
    let answering = PipedProtocol.session(delegate: PasswordDelegate("right"))
    #expect(try await answering.data(from: host.url("f")).0 == Data("x".utf8))
    let wrong = PipedProtocol.session(delegate: PasswordDelegate("wrong"))
    await #expect(throws: URLError.self) { try await wrong.data(from: host.url("f")) }
    await host.stop()
  }

  @Test func aQuestionPassesToTheNextLoadWhenTheFirstIsCancelled() async throws {
    let asked = Watched(0)
    let host = try PipedHost { questions in
      let credential = await questions.ask { sender in
        asked.update { $0 += 1 }
        return URLAuthenticationChallenge(
          protectionSpace: URLProtectionSpace(
            host: "h", port: 22, protocol: "sftp", realm: nil, authenticationMethod: NSURLAuthenticationMethodDefault),
          proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil, sender: sender)
      }
      return credential?.password == "right"
    }
    try host.folder.write("f", "x")
    let session = PipedProtocol.session()
    let first = session.dataTask(with: host.url("f"))
    first.delegate = PasswordDelegate(nil)
    first.resume()
    #expect(await asked.wait { $0 == 1 })
    let second = Task { try await session.data(from: host.url("f"), delegate: PasswordDelegate("right")).0 }
    // The second has to wait for the same connection before the first ends.
    #expect(try await eventually { await session.allTasks.count == 2 })
    first.cancel()
    #expect(try await second.value == Data("x".utf8))
    #expect(host.connections.value.count == 1)
    await host.stop()
  }
}

private final class CompletionObserver: NSObject, URLSessionTaskDelegate {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) { action() }
}

/// Answers challenges with a password, or never.
private final class PasswordDelegate: NSObject, URLSessionTaskDelegate {
  private let password: String?

  init(_ password: String?) {
    self.password = password
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let password else { return }
    completionHandler(.useCredential, URLCredential(user: "u", password: password, persistence: .none))
  }
}
