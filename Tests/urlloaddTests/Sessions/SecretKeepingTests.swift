import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// Credentials that a task was made with are in the service's folder until the task has ended.
@Suite(.timeLimit(.minutes(5))) struct SecretKeepingTests {
  private static let token = "token-5f0c2b7e9a"
  private static let password = "password-81d3e6"

  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  private func url(_ server: ScriptedServer) -> String {
    server.url("/a").absoluteString.replacingOccurrences(of: "http://", with: "http://user:\(Self.password)@")
  }

  private func filesOfState(with secret: String) throws -> [String] {
    try fixture.files(with: secret, in: fixture.state)
  }

  /// A server that answers when it is told to.
  private func server(_ mayAnswer: DispatchSemaphore) throws -> ScriptedServer {
    try ScriptedServer.http { _ in
      mayAnswer.wait()
      mayAnswer.signal()
      return HTTPResponse(text: "body")
    }
  }

  private func start(_ server: ScriptedServer) async throws -> BackgroundProgram {
    let program = try fixture.program(
      "test", "--token", Self.token, "--proxy-password", Self.password, "download:\(url(server))")
    #expect(try await eventually { !server.requests.isEmpty }, "\(program.lines)")
    // Else the service could not load it after a restart.
    #expect(try !filesOfState(with: Self.token).isEmpty)
    return program
  }

  @Test func theQueueAloneHasThem() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try self.server(mayAnswer)
    let program = try await start(server)
    for secret in [Self.token, Self.password] {
      // Of all that program and service have.
      let names = try fixture.files(with: secret, in: fixture.directory.url)
      let others = names.filter { !$0.hasPrefix("state/url-loading/urlloadd/queue.sqlite") }
      #expect(!names.isEmpty && others.isEmpty, "\(names)")
      for name in names {
        let attributes = try FileManager.default.attributesOfItem(atPath: fixture.directory.file(name).path)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
      }
    }
    mayAnswer.signal()
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// The program does not run, so that the task stays when it has ended.
  @Test func theyAreGoneWhenTheTaskHasEnded() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try self.server(mayAnswer)
    try await start(server).kill()
    mayAnswer.signal()
    let control = try BackgroundControl(at: fixture.place)
    #expect(try await eventually { try control.jobs().map(\.hasEnded) == [true] })
    for secret in [Self.token, Self.password] { #expect(try filesOfState(with: secret) == [], "\(secret)") }
    try await fixture.killService()
    // The password of the proxy is in Base64 there.
    let store = try QueueStore(path: fixture.state.appending(path: "queue.sqlite").path)
    let session = try #require(try store.contents().sessions["test"])
    #expect(session.description.proxies == nil)
    // Without them it is the task that it was.
    let request = try #require(try store.stored(1)).description.request
    #expect(BackgroundValues.request(request)?.url == server.url("/a"))
    await fixture.stop()
  }

  @Test func theyAreGoneWithATaskThatIsCancelled() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try self.server(mayAnswer)
    let program = try await start(server)
    program.tell("cancel 1")
    #expect(try await program.says("ended 1 -999", timeout: .seconds(60)), "\(program.lines)")
    #expect(
      try await eventually {
        try [Self.token, Self.password].allSatisfy { try filesOfState(with: $0).isEmpty }
      })
    mayAnswer.signal()
    await program.kill()
    await server.stop()
    await fixture.stop()
  }

  /// As a service leaves them that is killed between its commit and what follows.
  @Test func theNextServiceEmptiesTheLog() throws {
    let path = fixture.directory.file("queue.sqlite").path
    var changes = QueueChanges()
    changes.sessions["s"] = QueueStore.StoredSession(
      description: BackgroundSessionDescription(identifier: "s", program: Self.token))
    let first = try QueueStore(path: path)
    try first.write(changes) { _ in nil }
    changes.sessions["s"] = .some(nil)
    try first.write(changes) { _ in nil }
    func logHasIt() throws -> Bool {
      try Data(contentsOf: URL(fileURLWithPath: path + "-wal")).range(of: Data(Self.token.utf8)) != nil
    }
    #expect(try logHasIt())
    _ = try QueueStore(path: path)
    #expect(try !logHasIt())
    withExtendedLifetime(first) {}
  }
}
