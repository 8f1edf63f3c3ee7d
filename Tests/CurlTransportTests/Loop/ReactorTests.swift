import Glibc
import Testing
import URLLoadingTestServers

@testable import URLLoadingCurlTransport

@Suite("Reactor")
struct ReactorTests {
  private static let readable: Int32 = 1
  private static let writable: Int32 = 2
  private let reactor = Reactor()
  private let multi: MultiHandle

  init() throws {
    var configuration = TransferEngineConfiguration()
    configuration.proxy = .direct
    try #require(reactor.openDescriptors() == 0)
    multi = try #require(
      MultiHandle(configuration: configuration, proxies: ProxySelector(.direct), reactor: reactor))
  }

  private func openSocket(isFTP: Bool = false) throws -> Int32 {
    let descriptor = reactor.openSocket(
      domain: AF_INET, type: Int32(SOCK_STREAM.rawValue), protocol: 0, owner: multi, isFTP: isFTP)
    try #require(descriptor >= 0)
    return descriptor
  }

  private func connectSocket(_ descriptor: Int32, to server: ScriptedServer) throws {
    try #require(LoopbackAddress(port: server.port).withPointer { connect(descriptor, $0, $1) } == 0)
  }

  /// Makes a number stand for the reading end of a new pipe, without a word to the reactor, as libcurl does with sockets that did not
  /// connect. Returns the other end.
  private func turnIntoPipe(_ descriptor: Int32) throws -> Int32 {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    // At one stroke: meanwhile, another thread might be given the number.
    try #require(dup2(ends[0], descriptor) == descriptor)
    close(ends[0])
    return ends[1]
  }

  /// Turns a number into a pipe, which is to be heard while it is waited for.
  /// - Parameter endsWait: whether the socket that had the number is given up first.
  private func expectToHearPipe(under descriptor: Int32, endsWait: Bool = false) throws {
    let other = try turnIntoPipe(descriptor)
    defer { close(other) }
    if endsWait { reactor.setInterest(0, in: descriptor, owner: multi) }
    reactor.setInterest(Self.readable, in: descriptor, owner: multi)
    reactor.applyInterest()
    #expect(write(other, "x", 1) == 1)
    #expect(reactor.wait(canSleep: false))
    reactor.dispatch()
    reactor.reap()
    reactor.setInterest(0, in: descriptor, owner: multi)
    reactor.applyInterest()
  }

  @Test("A pipe with the number of a socket that did not connect is heard every time", arguments: [false, true])
  func pipesWithUsedNumbers(hasWaited: Bool) throws {
    let descriptor = try openSocket()
    if hasWaited {
      reactor.setInterest(Self.writable, in: descriptor, owner: multi)
      reactor.applyInterest()
    }
    for _ in 0..<3 { try expectToHearPipe(under: descriptor, endsWait: hasWaited) }
    close(descriptor)
  }

  @Test("A try to connect that follows another at once, under the same number, is heard without another word")
  func tryAfterTry() throws {
    let server = try ScriptedServer { _ = $0.waitForPeerClose(timeout: .seconds(30)) }
    var descriptor = try openSocket()
    var earlier: Int32
    var tries = 0
    repeat {
      reactor.setInterest(Self.writable, in: descriptor, owner: multi)
      reactor.applyInterest()
      earlier = descriptor
      close(earlier)
      // Other threads may be given the number in between.
      descriptor = try openSocket()
      tries += 1
    } while descriptor != earlier && tries < 100
    try #require(descriptor == earlier)
    try connectSocket(descriptor, to: server)
    reactor.applyInterest()
    #expect(reactor.wait(canSleep: false))
    reactor.dispatch()
    reactor.reap()
    #expect(reactor.closeSocket(descriptor) == 0)
  }

  @Test(
    "A number that was a control connection's before it connected is not shut down when it stands for something else")
  func controlConnectionThatDidNotConnect() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let descriptor = try openSocket(isFTP: true)
    try #require(dup2(ends[0], descriptor) == descriptor)
    reactor.shutDownControlConnections(of: multi)
    #expect(send(descriptor, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
    close(descriptor)
  }

  @Test("A control connection is shut down, so that its QUIT does not wait")
  func controlConnection() throws {
    let server = try ScriptedServer { _ = $0.waitForPeerClose(timeout: .seconds(30)) }
    let descriptor = try openSocket(isFTP: true)
    reactor.setInterest(Self.writable, in: descriptor, owner: multi)
    try connectSocket(descriptor, to: server)
    reactor.setInterest(Self.readable, in: descriptor, owner: multi)
    reactor.shutDownControlConnections(of: multi)
    var byte: UInt8 = 0
    #expect(recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
    #expect(reactor.closeSocket(descriptor) == 0)
  }

  @Test(
    "A stranger's connection with the number of a socket that did not connect is let alone",
    arguments: [writable, readable])
  func strangersConnection(interest: Int32) throws {
    let server = try ScriptedServer { _ = $0.waitForPeerClose(timeout: .seconds(30)) }
    let descriptor = try openSocket(isFTP: true)
    if interest == Self.writable {
      reactor.setInterest(interest, in: descriptor, owner: multi)
      reactor.applyInterest()
    }
    let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try connectSocket(other, to: server)
    try #require(dup2(other, descriptor) == descriptor)
    close(other)
    reactor.setInterest(interest == Self.writable ? 0 : interest, in: descriptor, owner: multi)
    reactor.shutDownControlConnections(of: multi)
    #expect(send(descriptor, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
    for _ in 0..<2 { try expectToHearPipe(under: descriptor) }
    close(descriptor)
  }
}
