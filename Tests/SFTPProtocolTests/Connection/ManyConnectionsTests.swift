import Foundation
import Glibc
import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

/// Many connections at once and one after another, and what is left of them.
@Suite(.serialized) struct ManyConnectionsTests {
  @Test func fiftyAtOnce() async throws {
    let server = try await SSHServer.start()
    var options = try await TestConnection.options(server)
    options.channel = .subsystem("cat")
    let bytes = TestFiles.pattern(count: 1 << 18)
    let tests = (0..<50).map { [options] _ in TestConnection(options, sending: bytes) }
    for test in tests {
      let hasEnded = await test.user.state.wait(timeout: .seconds(120)) {
        $0.receivedCount >= bytes.count || $0.closeCount > 0
      }
      #expect(hasEnded)
      #expect(
        TestFiles.firstDifference(test.user.state.value.received, bytes) == nil, "\(test.user.failure?.message ?? "")")
    }
    for test in tests { test.connection.close() }
    for test in tests { #expect(await test.user.closes()) }
    #expect(try await eventually(timeout: .seconds(20)) { server.connectionProcesses.isEmpty })
    await server.stop()
  }

  /// Neither memory nor a thread nor a socket: the server would still have a process for that.
  @Test func nothingIsLeft() async throws {
    let server = try await SSHServer.start()
    let options = try await TestConnection.options(server)
    weak var lastConnection: SSHConnection?
    weak var lastUser: TestChannelUser?
    func run(_ count: Int) async {
      for index in 0..<count {
        let test = TestConnection(options)
        lastConnection = test.connection
        lastUser = test.user
        if index % 3 == 0 { await test.expectOpen() }
        test.connection.close()
        #expect(await test.user.closes())
      }
    }
    await run(20)
    let before = Self.residentBytes
    await run(60)
    // The thread holds the connection for as long as it lives.
    let isFree = try await eventually(timeout: .seconds(10)) { lastConnection == nil && lastUser == nil }
    #expect(isFree)
    if !Sanitizing.isOn { #expect(Self.residentBytes - before < 32 << 20) }
    #expect(try await eventually(timeout: .seconds(20)) { server.connectionProcesses.isEmpty })
    await server.stop()
  }

  private static var residentBytes: Int {
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return (fields?.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
  }
}
