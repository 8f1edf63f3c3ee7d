import Foundation
import Testing

@testable import SFTPProtocol

/// The client against bytes that no good server sends. All on one thread: the client is called as a connection would.
@Suite struct HostileServerTests {
  /// What a client said of its requests and of itself.
  // Safe to share: one thread uses it.
  private final class Record: @unchecked Sendable {
    var events: [String] = []
    var end: SFTPFailure?
  }

  private let record: Record
  private let client: SFTPClient

  init() {
    let record = Record()
    self.record = record
    client = SFTPClient(onReady: { record.events.append("ready") }, onEnd: { record.end = $0 })
  }

  private func open() {
    client.channelDidOpen()
    send(.version())
  }

  private func send(_ packet: PacketBytes) { send(packet.framed) }

  private func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { client.channelDidReceive($0) } }

  /// What the client would send now; taken as sent.
  @discardableResult
  private func sent() -> [UInt8] {
    var all: [UInt8] = []
    while case let bytes = client.bytesToSend, !bytes.isEmpty {
      all += Array(bytes)
      client.channelDidSend(bytes.count)
    }
    return all
  }

  private func stat(_ name: String) {
    client.stat(Array(name.utf8)) { [record] result in
      switch result {
      case .success(let attributes): record.events.append("\(name): \(attributes.size ?? 0)")
      case .failure(let failure): record.events.append("\(name): \(failure.explanation)")
      }
    }
  }

  private func read(_ count: Int) {
    client.read(RemoteHandle(bytes: [1]), offset: 0, count: count) { [record] event in
      switch event {
      case .bytes(let bytes): record.events.append("bytes \(bytes.count)")
      case .end: record.events.append("end")
      case .failed(let failure): record.events.append("failed: \(failure.explanation)")
      }
    }
  }

  @Test func answersInAnyOrder() {
    stat("a")
    stat("b")
    #expect(sent() == [])
    open()
    #expect(sent().count == 9 + 2 * 14)
    send(.attributes(1, size: 11, permissions: 0, time: 0))
    send(.attributes(0, size: 10, permissions: 0, time: 0))
    #expect(record.events == ["ready", "b: 11", "a: 10"])
    #expect(!client.isClosed)
  }

  /// What must end the conversation, given that request 0 is a `stat` and request 1 a read of 4 bytes.
  static let violations: [(name: String, packet: [UInt8])] = [
    ("a second version", PacketBytes.version().framed),
    ("an unknown identifier", PacketBytes.status(7, 0).framed),
    ("success without the answer", PacketBytes.status(0, 0).framed),
    ("a handle for a stat", PacketBytes.handle(0, [1]).framed),
    ("data for a stat", PacketBytes.data(0, [1]).framed),
    ("attributes for a read", PacketBytes.attributes(1, size: 0, permissions: 0, time: 0).framed),
    ("more data than was asked for", PacketBytes.data(1, [1, 2, 3, 4, 5]).framed),
    ("a packet that is too long", [255, 0, 0, 0, 103]),
    ("a packet that is too short", [0, 0, 0, 1, 101]),
    ("a request", PacketBytes().byte(3).word(0).framed),
    ("half attributes", PacketBytes().byte(105).word(0).word(1).framed),
  ]

  @Test(arguments: violations.indices)
  func violationsEndTheConversation(index: Int) {
    open()
    stat("a")
    read(4)
    sent()
    send(Self.violations[index].packet)
    #expect(client.isClosed)
    #expect(record.end != nil)
    #expect(record.events.count == 3)
    #expect(record.events.dropFirst().allSatisfy { $0.contains("does not keep to the SFTP protocol") })
    // What comes afterwards is not looked at, and new requests fail at once.
    send(.attributes(0, size: 1, permissions: 0, time: 0))
    client.channelDidClose(nil)
    stat("late")
    #expect(record.events.count == 4)
    #expect(sent() == [])
  }

  @Test func anotherVersionIsRefused() {
    client.channelDidOpen()
    stat("a")
    send(.version(2))
    #expect(client.isClosed)
    #expect(record.events.last?.contains("version 2") == true)
  }

  @Test func aClosedChannelFailsAll() {
    open()
    stat("a")
    sent()
    stat("b")
    client.channelDidClose(nil)
    #expect(record.events == ["ready", "a: the server closed the connection", "b: the server closed the connection"])
  }

  @Test func aReadThatBreaksOffFails() {
    open()
    read(100)
    sent()
    send(Array(PacketBytes.data(0, Array(repeating: 1, count: 100)).framed.prefix(50)))
    client.channelDidClose(nil)
    #expect(record.events == ["ready", "bytes 37", "failed: the server closed the connection"])
  }

  @Test func limitsAreNotTrustedWithOurMemory() {
    client.channelDidOpen()
    send(.version(3, [("limits@openssh.com", "1")]))
    sent()
    send(PacketBytes().byte(201).word(0).long(.max).long(.max).long(.max).long(.max))
    #expect(client.largestRead == 256 << 10)
    #expect(client.largestWrite <= 256 << 10)
    #expect(client.handleLimit == 1024)
  }

  @Test func tinyLimitsAreUsable() {
    client.channelDidOpen()
    send(.version(3, [("limits@openssh.com", "1")]))
    sent()
    send(PacketBytes().byte(201).word(0).long(1).long(1).long(1).long(1))
    #expect(client.largestRead == 1)
    #expect(client.largestWrite == 1)
    #expect(client.handleLimit == 1)
  }

  @Test func limitsThatAreRefusedArePortable() {
    client.channelDidOpen()
    send(.version(3, [("limits@openssh.com", "1")]))
    sent()
    send(.status(0, 4, "no"))
    #expect(client.largestRead == 32_768)
    #expect(!client.isClosed)
  }

  @Test func whatWaitsToBeSentIsNotEncodedAtOnce() {
    open()
    sent()
    let bytes = [UInt8](repeating: 1, count: 30_000)
    for _ in 0..<100 { client.write(RemoteHandle(bytes: [1]), offset: 0, bytes[...]) { _ in } }
    #expect(client.bytesToSend.count < 300_000)
    let first = client.bytesToSend.baseAddress
    client.channelDidSend(1000)
    #expect(client.bytesToSend.baseAddress == first.map { $0 + 1000 })
    #expect(sent().count > 2_900_000)
  }

  /// On a thread whose stack has room for far fewer calls within each other.
  @Test func anyNumberOfOpensMayBeWithdrawn() async {
    let opened: [String] = await withCheckedContinuation { continuation in
      let thread = Thread { [self] in
        client.channelDidOpen()
        send(.version(3, [("limits@openssh.com", "1")]))
        sent()
        send(PacketBytes().byte(201).word(0).long(0).long(0).long(0).long(1))
        for number in 0..<100_000 {
          client.open([1], .read, willSend: { number == 0 || number == 99_999 }) { [record] _ in
            record.events.append("\(number)")
          }
        }
        sent()
        send(.handle(1, [7]))
        client.close(RemoteHandle(bytes: [7]))
        sent()
        send(.status(2, 0))
        sent()
        send(.handle(3, [8]))
        continuation.resume(returning: record.events)
      }
      thread.stackSize = 1 << 19
      thread.start()
    }
    #expect(opened == ["ready", "0", "99999"])
  }

  @Test func filesThatAreNotWantedAnyMoreAreNotOpened() {
    client.channelDidOpen()
    send(.version(3, [("limits@openssh.com", "1")]))
    sent()
    send(PacketBytes().byte(201).word(0).long(0).long(0).long(0).long(1))
    for name in ["a", "b", "c"] {
      client.open(Array(name.utf8), .read, willSend: { name != "b" }) { [record] result in
        record.events.append("\(name) \((try? result.get()) != nil)")
      }
    }
    sent()
    send(.handle(1, [7]))
    #expect(record.events == ["ready", "a true"])
    client.close(RemoteHandle(bytes: [7]))
    sent()
    send(.status(2, 0))
    #expect(sent().isEmpty == false)
    send(.status(3, 3))
    #expect(record.events == ["ready", "a true", "c false"])
  }
}
