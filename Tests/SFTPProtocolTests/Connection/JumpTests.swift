import Foundation
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Connections that go through others.
@Suite struct JumpTests {
  @Test func bytesGoThroughTwoHosts() async throws {
    let first = try await SSHServer.start()
    let second = try await SSHServer.start()
    let last = try await SSHServer.shared
    var options = try await TestConnection.options(last)
    options.channel = .subsystem("cat")
    options.jumps = [try await TestConnection.options(first), try await TestConnection.options(second)]
    let bytes = TestFiles.pattern(count: 5 << 20)
    let test = TestConnection(options, sending: bytes)
    await test.expectOpen()
    #expect(await test.user.state.wait(timeout: .seconds(60)) { $0.receivedCount >= bytes.count })
    #expect(TestFiles.firstDifference(test.user.state.value.received, bytes) == nil)
    #expect(!first.connectionProcesses.isEmpty)
    test.connection.close()
    #expect(await test.user.closes())
    // None of those before stays.
    let areGone = try await eventually(timeout: .seconds(10)) {
      first.connectionProcesses.isEmpty && second.connectionProcesses.isEmpty
    }
    #expect(areGone)
    await first.stop()
    await second.stop()
  }

  @Test func saysWhichHostIsWrong() async throws {
    let jump = try await SSHServer.shared
    let nobody = try FreePort.pick()
    var options = TestConnection.options(port: nobody)
    options.jumps = [try await TestConnection.options(jump)]
    let failure = await TestConnection(options).failure()
    #expect(failure?.kind == .channelRefused)
    #expect(failure?.message.contains("does not connect to 127.0.0.1, port \(nobody)") == true)

    var other = try await TestConnection.options(jump)
    other.jumps = [TestConnection.options(port: nobody)]
    let second = await TestConnection(other).failure()
    #expect(second?.kind == .cannotConnect)
    #expect(second?.message.contains("through 127.0.0.1:\(nobody)") == true)
  }

  @Test func noticesThatTheHostBeforeIsKilled() async throws {
    let jump = try await SSHServer.start()
    var options = try await TestConnection.options(.shared)
    options.jumps = [try await TestConnection.options(jump)]
    let test = TestConnection(options)
    await test.expectOpen()
    jump.killConnections()
    #expect(await test.failure()?.kind == .connectionLost)
    await jump.stop()
  }

  /// At once, when the key of the host on the way is judged, when that of the last one is, and when the channel is open.
  @Test func cancelsAtAnyMoment() async throws {
    let jump = try await SSHServer.shared
    for keyCount in 0...3 {
      let judged = Watched(0)
      let policy = TestHostKeyPolicy(judging: { _ in
        judged.update { $0 += 1 }
        return .accept
      })
      var options = try await TestConnection.options(jump, policy: policy)
      options.jumps = [try await TestConnection.options(jump, policy: policy)]
      let test = TestConnection(options)
      if keyCount < 3 {
        #expect(await judged.wait { $0 >= keyCount })
      } else {
        await test.expectOpen()
      }
      await test.expectPromptEnd()
    }
  }
}
