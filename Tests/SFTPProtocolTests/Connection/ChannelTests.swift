import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// What goes over a channel, against sshd.
@Suite struct ChannelTests {
  private func options(_ subsystem: String) async throws -> SSHConnectionOptions {
    var options = try await TestConnection.options(.shared)
    options.channel = .subsystem(subsystem)
    return options
  }

  @Test func theSubsystemAnswers() async throws {
    // SSH_FXP_INIT, version 3
    let test = TestConnection(try await TestConnection.options(.shared), sending: Data([0, 0, 0, 5, 1, 0, 0, 0, 3]))
    await test.expectOpen()
    #expect(await test.user.state.wait(timeout: .seconds(10)) { $0.receivedCount >= 9 })
    // SSH_FXP_VERSION, version 3
    #expect(Data(test.user.state.value.received.dropFirst(4).prefix(5)) == Data([2, 0, 0, 0, 3]))
    #expect(!test.user.state.value.isConfused)
  }

  /// Both directions full at once, much more than all windows together.
  @Test func bytesComeBack() async throws {
    let bytes = TestFiles.pattern(count: 40 << 20)
    let test = TestConnection(try await options("cat"), sending: bytes)
    await test.expectOpen()
    #expect(await test.user.state.wait(timeout: .seconds(120)) { $0.receivedCount >= bytes.count })
    #expect(TestFiles.firstDifference(test.user.state.value.received, bytes) == nil)
    test.connection.close()
    #expect(await test.user.closes())
    #expect(!test.user.state.value.isConfused)
  }

  @Test func aServerIsHeldBack() async throws {
    let test = TestConnection(try await options("zeros"), keepsBytes: false)
    await test.expectOpen()
    test.user.takeBytes(false)
    // What is asked for is asked again only when something happens.
    test.connection.perform {}
    var before = -1
    let settled = try await eventually(timeout: .seconds(20), interval: .milliseconds(300)) {
      defer { before = test.user.state.value.receivedCount }
      return test.user.state.value.receivedCount == before
    }
    #expect(settled)
    test.user.takeBytes(true)
    test.connection.perform {}
    let goesOn = await test.user.state.wait(timeout: .seconds(20)) { [before] in $0.receivedCount > before + (32 << 20)
    }
    #expect(goesOn)
    await test.expectPromptEnd()
  }

  @Test func closesWhileTheServerIsHeldBack() async throws {
    let test = TestConnection(try await options("zeros"), keepsBytes: false)
    await test.expectOpen()
    test.user.takeBytes(false)
    test.connection.perform {}
    await test.expectPromptEnd()
  }

  @Test func theEndOfTheSubsystemIsTheEnd() async throws {
    let test = TestConnection(try await options("brief"))
    #expect(await test.failure()?.kind == .connectionLost)
    #expect(test.user.failure?.message.contains("ended the channel") == true)
    #expect(test.user.state.value.received == Data("out\n".utf8), "what it writes to standard error is ignored")
    #expect(test.user.state.value.closeCount == 1)
    let takesNoMore = try await eventually(timeout: .seconds(5)) { !test.connection.perform {} }
    #expect(takesNoMore)
  }

  @Test func workRunsOnTheConnectionsThread() async throws {
    let test = TestConnection(try await TestConnection.options(.shared))
    await test.expectOpen()
    let numbers = Watched<[Int]>([])
    for number in 0..<1000 {
      let isTaken = test.connection.perform { [user = test.user] in
        user.channelDidReceive(UnsafeRawBufferPointer(start: nil, count: 0))
        numbers.update { $0.append(number) }
      }
      #expect(isTaken)
    }
    #expect(await numbers.wait(timeout: .seconds(10)) { $0.count == 1000 })
    #expect(numbers.value == Array(0..<1000))
    #expect(!test.user.state.value.isConfused)
  }

  /// Whoever was told that work runs can rely on it, also at the end.
  @Test func workThatWasTakenRuns() async throws {
    for _ in 0..<10 {
      let test = TestConnection(TestConnection.options(port: try FreePort.pick()))
      let ran = Watched(0)
      var taken = 0
      while test.connection.perform({ ran.update { $0 += 1 } }) { taken += 1 }
      let allRan = await ran.wait(timeout: .seconds(10)) { [taken] in $0 == taken }
      #expect(allRan)
    }
  }

  @Test func saysThatThereIsNoSubsystem() async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.subsystem = nil
    let server = try await SSHServer.start(options: serverOptions)
    let test = TestConnection(try await TestConnection.options(server))
    let failure = await test.failure()
    #expect(failure?.kind == .channelRefused)
    #expect(failure?.message.contains("Subsystem sftp") == true)
    await server.stop()
  }

  @Test func saysThatThereAreTooManySessions() async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.configuration = ["MaxSessions 0"]
    let server = try await SSHServer.start(options: serverOptions)
    let test = TestConnection(try await TestConnection.options(server))
    #expect(await test.failure()?.kind == .channelRefused)
    await server.stop()
  }

  @Test func noticesAServerThatIsKilled() async throws {
    let server = try await SSHServer.start()
    var options = try await TestConnection.options(server)
    options.channel = .subsystem("zeros")
    let test = TestConnection(options, keepsBytes: false)
    #expect(await test.user.state.wait(timeout: .seconds(30)) { $0.receivedCount > 1 << 20 })
    server.killConnections()
    let failure = await test.failure()
    #expect(failure?.kind == .connectionLost)
    #expect(failure?.message.contains("127.0.0.1:\(server.port)") == true)
    #expect(test.user.state.value.closeCount == 1)
    await server.stop()
  }

  @Test func noticesAServerThatDoesNotAnswer() async throws {
    let server = try await SSHServer.start()
    var options = try await TestConnection.options(server)
    options.keepAliveInterval = .seconds(1)
    options.keepAliveLimit = 1
    let test = TestConnection(options)
    await test.expectOpen()
    // It answers for as long as it can, or the second question would be the last.
    for _ in 0..<2 {
      let before = await test.lastReceived
      #expect(try await eventually(timeout: .seconds(20)) { await test.lastReceived > before })
    }
    #expect(test.user.state.value.closeCount == 0)
    server.freezeConnections()
    let failure = await test.failure(timeout: .seconds(20))
    #expect(failure?.kind == .connectionLost)
    #expect(failure?.message.contains("does not answer any more") == true)
    server.freezeConnections(false)
    await server.stop()
  }

  @Test func cancelsWhileTheServerSaysNothing() async throws {
    let server = try await SSHServer.start()
    let test = TestConnection(try await TestConnection.options(server))
    await test.expectOpen()
    server.freezeConnections()
    await test.expectPromptEnd()
    server.freezeConnections(false)
    await server.stop()
  }

  /// A new exchange of keys every megabyte, in the middle of everything.
  @Test func keysChangeUnderWay() async throws {
    var serverOptions = SSHServer.Options()
    serverOptions.configuration = ["RekeyLimit 1M"]
    let server = try await SSHServer.start(options: serverOptions)
    var options = try await TestConnection.options(server)
    options.channel = .subsystem("cat")
    let bytes = TestFiles.pattern(count: 10 << 20)
    let test = TestConnection(options, sending: bytes)
    let hasEnded = await test.user.state.wait(timeout: .seconds(60)) {
      $0.receivedCount >= bytes.count || $0.closeCount > 0
    }
    #expect(hasEnded, "\(test.user.state.value.receivedCount)")
    #expect(
      TestFiles.firstDifference(test.user.state.value.received, bytes) == nil, "\(test.user.failure?.message ?? "")")
    await server.stop()
  }
}
