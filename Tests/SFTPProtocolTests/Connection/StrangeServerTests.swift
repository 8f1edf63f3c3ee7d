import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Servers that say nothing, or not what they should.
@Suite struct StrangeServerTests {
  /// What a server says before it says nothing more.
  private static let beginnings = ["", "SSH-2.0-Silent\r\n", "SSH-2.0-Half", "Wait a moment\r\n"]

  @Test(arguments: beginnings) func cancelsWhileItIsSilent(_ beginning: String) async throws {
    let greeted = AsyncEvent()
    let server = try ScriptedServer { connection in
      try connection.send(beginning)
      _ = try connection.readLine()
      greeted.signal()
      _ = connection.waitForPeerClose(timeout: .seconds(30))
    }
    let test = TestConnection(TestConnection.options(port: server.port))
    #expect(await greeted.wait())
    await test.expectPromptEnd()
    #expect(await server.waitForIdle())
  }

  @Test(arguments: beginnings) func theDeadlineEndsASilentServer(_ beginning: String) async throws {
    let server = try ScriptedServer { connection in
      try connection.send(beginning)
      _ = connection.waitForPeerClose(timeout: .seconds(30))
    }
    var options = TestConnection.options(port: server.port)
    options.timeout = .milliseconds(300)
    let failure = await TestConnection(options).failure(timeout: .seconds(10))
    #expect(failure?.kind == .timedOut)
    #expect(failure?.message.contains("exchanging keys") == true)
  }

  @Test(arguments: [PasswordSSHServer.Options.Stall.login, .channel, .service])
  func cancelsAndTimesOutInEachLaterPhase(_ stall: PasswordSSHServer.Options.Stall) async throws {
    var serverOptions = PasswordSSHServer.Options()
    serverOptions.stall = stall
    serverOptions.needsNoLogin = stall != .login
    for isCancelled in [true, false] {
      let server = try await PasswordSSHServer.start(options: serverOptions)
      var options = TestConnection.options(server)
      if !isCancelled { options.timeout = .seconds(3) }
      let test = TestConnection(options)
      let sign =
        [PasswordSSHServer.Options.Stall.login: "begin", .channel: "session", .service: "service"][stall] ?? ""
      #expect(await server.waitForLog(sign))
      #expect(!test.user.state.value.isOpen)
      if isCancelled {
        await test.expectPromptEnd()
      } else {
        let failure = await test.failure()
        #expect(failure?.kind == .timedOut)
        #expect(failure?.message.contains(stall == .login ? "logging in" : "opening a channel") == true)
      }
      await server.stop()
    }
  }

  @Test func garbageIsNoServer() async throws {
    let cases = [
      ("HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP/1.1 400 Bad Request"),
      ("\u{1B}[2Jgarbage\r\n", "[2Jgarbage"), ("no line at all", "no line at all"),
    ]
    for (text, expected) in cases {
      let server = try ScriptedServer { connection in
        _ = try connection.readLine()
        try connection.send(text)
      }
      let failure = await TestConnection(TestConnection.options(port: server.port)).failure()
      #expect(failure?.kind == .protocolViolation)
      #expect(
        failure?.message.contains("names no version of SSH: it says \u{201C}\(expected)\u{201D}") == true,
        "\(failure?.message ?? "")")
    }
  }

  /// As OpenSSH refuses an address from which many logins have failed.
  @Test func aRefusalBeforeTheVersionIsSaid() async throws {
    let server = try ScriptedServer { connection in
      try connection.send("Not allowed at this time\r\n")
      connection.closeWriting()
      _ = connection.waitForPeerClose(timeout: .seconds(10))
    }
    let failure = await TestConnection(TestConnection.options(port: server.port)).failure()
    #expect(failure?.kind == .protocolViolation)
    #expect(
      failure?.message
        == "127.0.0.1:\(server.port) names no version of SSH: it says \u{201C}Not allowed at this time\u{201D}")
  }

  @Test func aServerThatGoesAtOnce() async throws {
    let server = try ScriptedServer { _ in }
    let failure = await TestConnection(TestConnection.options(port: server.port)).failure()
    #expect(failure?.kind == .connectionLost)
  }

  /// Lines, or one line, without an end: no memory, and the deadline counts.
  @Test(arguments: ["x", "line\r\n"]) func aGreetingWithoutAnEnd(_ text: String) async throws {
    let server = try ScriptedServer { connection in
      let much = Data(String(repeating: text, count: 20_000).utf8)
      while true { try connection.send(much) }
    }
    var options = TestConnection.options(port: server.port)
    options.timeout = .seconds(1)
    let kind = await TestConnection(options).failure(timeout: .seconds(20))?.kind
    #expect(kind == .timedOut || kind == .protocolViolation)
  }

  /// Random bytes after a proper greeting, and packets with lengths that cannot be.
  @Test func garbageAfterTheGreeting() async throws {
    var packets: [[UInt8]] = [
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF, 0], [0, 0, 0, 1, 9, 20],
    ]
    for _ in 0..<8 { packets.append((0..<64).map { _ in .random(in: 0...255) }) }
    for packet in packets {
      let server = try ScriptedServer { [packet] connection in
        try connection.send("SSH-2.0-Garbage\r\n")
        _ = try connection.readLine()
        try connection.send(Data(packet))
        connection.closeWriting()
        _ = connection.waitForPeerClose(timeout: .seconds(10))
      }
      let kind = await TestConnection(TestConnection.options(port: server.port)).failure()?.kind
      #expect(kind == .protocolViolation || kind == .connectionLost, "\(packet)")
    }
  }

  @Test func nobodyListens() async throws {
    let port = try FreePort.pick()
    let failure = await TestConnection(TestConnection.options(port: port)).failure()
    #expect(failure?.kind == .cannotConnect)
    #expect(failure?.message == "127.0.0.1:\(port) cannot be connected to: Connection refused")
  }

  @Test func nobodyHasTheName() async throws {
    var options = TestConnection.options(port: 22)
    options.host = "no-such-host.invalid"
    options.timeout = .seconds(20)
    let failure = await TestConnection(options).failure()
    // Where there is no network, that is told, or asking takes longer than we wait.
    let kinds: [SSHFailure.Kind] = [.hostNotFound, .noNetwork, .timedOut]
    #expect(failure.map { kinds.contains($0.kind) } == true)
    #expect(failure?.message.contains("no-such-host.invalid") == true)
  }

  @Test func cancelsWhileTheNameIsLookedUp() async throws {
    var options = TestConnection.options(port: 22)
    options.host = "no-such-host.invalid"
    let test = TestConnection(options)
    test.connection.close(SSHFailure(.cancelled, "cancelled"))
    #expect(await test.user.closes(timeout: .seconds(2)))
  }

  /// A name that may have two addresses, of which sshd listens on one.
  @Test func triesTheNextAddress() async throws {
    var options = try await TestConnection.options(.shared)
    options.host = "localhost"
    let test = TestConnection(options)
    await test.expectOpen()
  }
}
