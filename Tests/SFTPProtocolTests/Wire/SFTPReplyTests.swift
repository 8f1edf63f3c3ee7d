import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct SFTPReplyTests {
  private func read(_ bytes: [UInt8]) throws(WireViolation) -> SFTPReply {
    try bytes.withUnsafeBufferPointer { (buffer) throws(WireViolation) in
      try SFTPReply(UnsafeRawBufferPointer(buffer))
    }
  }

  /// One packet of each kind, with all fields there are.
  private static let samples: [(PacketBytes, SFTPReply)] = [
    (
      .version(3, [("posix-rename@openssh.com", "1"), ("limits@openssh.com", "1"), ("what@example.org", "7")]),
      .version(3, extensions: [.posixRename, .limits])
    ),
    (.status(7, 2, "No such file"), .status(identifier: 7, ServerStatus(.noSuchFile, message: "No such file"))),
    (.handle(8, [0, 1, 255]), .handle(identifier: 8, RemoteHandle(bytes: [0, 1, 255]))),
    (
      PacketBytes().byte(104).word(9).word(2)
        .string([0xFF, 0x61]).string("-rw-r--r-- …").word(0)
        .string("b").string("").word(0x8000_000F).long(5).word(1).word(2).word(0o100644).word(3).word(4)
        .word(1).string("acl@example.org").string("x"),
      .names(
        identifier: 9,
        [
          RemoteName(bytes: [0xFF, 0x61], attributes: FileAttributes()),
          RemoteName(
            bytes: [0x62],
            attributes: {
              var attributes = FileAttributes(
                size: 5, permissions: 0o100644, modificationTime: 4)
              attributes.owner = .init(userID: 1, groupID: 2)
              return attributes
            }()),
        ])
    ),
    (
      .attributes(10, size: 1 << 40, permissions: 0o040755, time: .max),
      .attributes(
        identifier: 10,
        FileAttributes(size: 1 << 40, permissions: 0o040755, modificationTime: .max))
    ),
    (
      PacketBytes().byte(201).word(11).long(262_144).long(261_120).long(261_120).long(1019),
      .limits(
        identifier: 11,
        ServerLimits(packetLength: 262_144, readLength: 261_120, writeLength: 261_120, openHandles: 1019))
    ),
  ]

  @Test func everyKindIsRead() throws {
    for (packet, reply) in Self.samples {
      #expect(try read(packet.bytes) == reply)
    }
  }

  @Test func aPacketThatEndsEarlyIsRefusedWhereverThatIs() throws {
    for (packet, reply) in Self.samples {
      for count in 0..<packet.bytes.count {
        let cut = Array(packet.bytes[..<count])
        switch reply {
        // Words may be missing, and a version may announce fewer extensions.
        case .status where count == 9: #expect(throws: Never.self) { try read(cut) }
        case .status where count > 13 + 11: #expect(throws: Never.self) { try read(cut) }
        case .version where [5, 38, 65].contains(count): #expect(throws: Never.self) { try read(cut) }
        default: #expect(throws: WireViolation.truncated, "\(reply) cut to \(count)") { try read(cut) }
        }
      }
    }
  }

  @Test func aPacketThatGoesOnIsRefused() throws {
    for (packet, reply) in Self.samples {
      switch reply {
      case .status, .version: continue
      default: #expect(throws: WireViolation.trailingBytes(1)) { try read(packet.byte(0).bytes) }
      }
    }
  }

  @Test func countsThatCannotBeAreRefusedWithoutMemory() {
    #expect(throws: WireViolation.truncated) { try read(PacketBytes().byte(104).word(1).word(.max).bytes) }
    #expect(throws: WireViolation.truncated) {
      try read(PacketBytes().byte(105).word(1).word(0x8000_0000).word(.max).bytes)
    }
    #expect(throws: WireViolation.truncated) { try read(PacketBytes().byte(102).word(1).word(.max).bytes) }
  }

  @Test func valuesThatTheDraftForbidsAreRefused() {
    #expect(throws: WireViolation.invalidField("a handle of 257 bytes")) {
      try read(PacketBytes.handle(1, Array(repeating: 0, count: 257)).bytes)
    }
    #expect(throws: WireViolation.invalidField("file attributes with unknown flags")) {
      try read(PacketBytes().byte(105).word(1).word(0x10).bytes)
    }
  }

  @Test(arguments: Array(UInt8.min...UInt8.max))
  func packetsThatServersDoNotSendAreRefused(type: UInt8) {
    guard ![2, 101, 102, 104, 105, 201].contains(type) else { return }
    #expect(throws: WireViolation.unexpectedPacket(type)) { try read(PacketBytes().byte(type).word(1).bytes) }
  }

  @Test func garbageEndsInAnErrorOrAReply() {
    var generator = SeededGenerator(seed: 4)
    var readable = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 0...60, using: &generator)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      if !bytes.isEmpty { bytes[0] = [2, 101, 102, 104, 105, 201].randomElement(using: &generator) ?? 2 }
      if (try? read(bytes)) != nil { readable += 1 }
    }
    #expect(readable > 0)
  }

  @Test func messagesOfTheServerCannotHarmATerminal() throws {
    guard case .status(_, let status) = try read(PacketBytes.status(1, 4, "a\u{1B}[2J\nb\u{7F}\u{9B}c").bytes) else {
      Issue.record("no status")
      return
    }
    #expect(status.message == "a[2Jbc")
    #expect(status.explanation == "the server failed without a reason (\"a[2Jbc\")")
  }

  @Test func kindsComeFromPermissions() {
    #expect(FileAttributes(permissions: 0o100644).kind == .regular)
    #expect(FileAttributes(permissions: 0o040755).kind == .directory)
    #expect(FileAttributes(permissions: 0o120777).kind == .symbolicLink)
    #expect(FileAttributes(permissions: 0o010644).kind == .other)
    #expect(FileAttributes(permissions: 0o644).kind == .unknown)
    #expect(FileAttributes().kind == .unknown)
  }
}
