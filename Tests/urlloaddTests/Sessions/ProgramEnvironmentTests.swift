import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Tasks are loaded by the environment of the program that made them, whoever has started the service.
@Suite(.timeLimit(.minutes(5))) struct ProgramEnvironmentTests {
  private static let password = "secret-3c5d91"
  /// No proxy, and no language.
  private static let plain: [String: String?] = [
    "http_proxy": nil, "all_proxy": nil, "no_proxy": nil, "HTTP_PROXY": nil, "ALL_PROXY": nil, "NO_PROXY": nil,
    "SSL_CERT_FILE": nil, "SSL_CERT_DIR": nil, "LC_ALL": "C", "LANGUAGE": nil,
  ]

  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  private func server() throws -> ScriptedServer { try ScriptedServer.http { _ in HTTPResponse(text: "direct") } }

  private func proxy() throws -> ScriptedServer { try ScriptedServer.http { _ in HTTPResponse(text: "proxied") } }

  private func environment(_ other: [String: String?] = [:]) -> [String: String?] {
    Self.plain.merging(other) { $1 }
  }

  private func program(_ arguments: String..., environment other: [String: String?] = [:]) throws -> BackgroundProgram {
    try fixture.program("test", arguments: ["--environment"] + arguments, environment: environment(other))
  }

  /// Starts the service by a program that has some variables, and has another session.
  private func startService(_ other: [String: String?] = [:]) async throws -> BackgroundProgram {
    let first = try fixture.program("first", arguments: ["--environment", "--quiet"], environment: environment(other))
    #expect(try await first.says("attached"), "\(first.lines)")
    return first
  }

  @Test func proxyNameAndLanguageAreTheProgramsAndNotTheServices() async throws {
    let (server, proxy, other) = (try self.server(), try self.proxy(), try self.proxy())
    let first = try await startService(["http_proxy": other.url().absoluteString, "LC_ALL": "fr_FR.UTF-8"])
    let program = try self.program(
      "download:\(server.url("/a"))",
      environment: ["http_proxy": proxy.url().absoluteString, "LC_ALL": "de_AT.UTF-8"])
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    let request = try #require(proxy.requests.first)
    #expect(request.target == server.url("/a").absoluteString)
    #expect(request.fields["User-Agent"]?.hasPrefix("URLLoadingBackgroundWorker ") == true, "\(request.fields)")
    #expect(request.fields["Accept-Language"] == "de-AT,de;q=0.9")
    #expect(server.requests.isEmpty && other.requests.isEmpty)
    for program in [first, program] { await program.kill() }
    await fixture.stop()
  }

  @Test func aProgramWithoutAProxyHasNoneInTheService() async throws {
    let (server, other) = (try self.server(), try self.proxy())
    let first = try await startService(["http_proxy": other.url().absoluteString])
    let program = try self.program("download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(server.requests.count == 1 && other.requests.isEmpty)
    for program in [first, program] { await program.kill() }
    await fixture.stop()
  }

  @Test func authoritiesAreTheProgramsAsWell() async throws {
    let url = try await NginxServer.shared.url(on: .https)
    let authority = try await TestCertificates.shared.authority.path
    let first = try await startService()
    let program = try self.program("download:\(url)", environment: ["SSL_CERT_FILE": authority])
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("asked").isEmpty)
    for program in [first, program] { await program.kill() }
    await fixture.stop()
  }

  /// Neither a program that attaches without the proxy nor another service makes the task go directly.
  @Test func tasksKeepTheProxyOfTheirProgram() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try self.server()
    let proxy = try ScriptedServer.http { _ in
      mayAnswer.wait()
      mayAnswer.signal()
      return HTTPResponse(text: "proxied")
    }
    let maker = try self.program(
      "download:\(server.url("/a"))", environment: ["http_proxy": proxy.url().absoluteString])
    #expect(await proxy.waitForRequests(1, timeout: .seconds(60)), "\(maker.lines)")
    await maker.kill()
    try await fixture.killService()
    let program = try self.program("download:\(server.url("/b"))")
    // Its own goes directly, from the same session.
    #expect(try await program.says("ended 2 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(await proxy.waitForRequests(2, timeout: .seconds(60)))
    mayAnswer.signal()
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(server.requests.map(\.target) == ["/b"])
    #expect(try Data(contentsOf: fixture.taken.appending(path: "1")) == Data("proxied".utf8))
    await program.kill()
    await fixture.stop()
  }

  @Test func aPasswordIsOnNoDiskAndItsTaskWaitsForWhoHasIt() async throws {
    let mayAnswer = DispatchSemaphore(value: 0)
    let server = try self.server()
    let proxy = try ScriptedServer.http { _ in
      mayAnswer.wait()
      mayAnswer.signal()
      return HTTPResponse(text: "proxied")
    }
    let variables = ["http_proxy": "http://user:\(Self.password)@127.0.0.1:\(proxy.port)"]
    let maker = try self.program("download:\(server.url("/a"))", environment: variables)
    #expect(await proxy.waitForRequests(1, timeout: .seconds(60)), "\(maker.lines)")
    let login = Data("user:\(Self.password)".utf8).base64EncodedString()
    for secret in [Self.password, login] {
      #expect(try fixture.files(with: secret, in: fixture.state) == [])
    }
    await maker.kill()
    try await fixture.killService()
    proxy.dropConnections()
    mayAnswer.signal()
    // Another program starts the next service, which has not the password.
    let other = try self.program()
    let control = try await fixture.control()
    #expect(try await eventually { try control.jobs().first?.state == "needs its program" })
    #expect(try control.jobs().first?.failure?.contains("password of the proxy") == true)
    await other.kill()
    #expect(proxy.requests.count == 1)
    let program = try self.program(environment: variables)
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(proxy.requests.last?.fields["Proxy-Authorization"] == "Basic \(login)", "\(proxy.requests)")
    #expect(server.requests.isEmpty)
    await program.kill()
    await fixture.stop()
  }

  /// `urlload --background`, whose loads are all of one session.
  @Test func theCommandsLoadsKeepTheProxyOfTheirShell() async throws {
    let (server, proxy) = (try self.server(), try self.proxy())
    let first = try await startService()
    for (name, variables) in [
      ("a", ["http_proxy": proxy.url().absoluteString]), ("b", [:]),
      ("c", ["http_proxy": proxy.url().absoluteString, "no_proxy": "127.0.0.1"]),
    ] as [(String, [String: String])] {
      let target = fixture.directory.file(name)
      let queued = try await Command.run(
        BuiltProgram.path("urlload"), ["--background", "-o", target.path, server.url("/\(name)").absoluteString],
        environment: fixture.environment.merging(environment(variables)) { $1 })
      #expect(queued.status == .exited(0), "\(queued)")
    }
    let texts = ["a": "proxied", "b": "direct", "c": "direct"]
    #expect(
      try await eventually(timeout: .seconds(60)) {
        texts.allSatisfy { (try? String(contentsOf: fixture.directory.file($0.key), encoding: .utf8)) == $0.value }
      })
    #expect(proxy.requests.map(\.target) == [server.url("/a").absoluteString])
    await first.kill()
    await fixture.stop()
  }
}
