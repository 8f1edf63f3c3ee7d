import Testing

@testable import SFTPProtocol

@Suite struct SFTPRequestTests {
  private static let handle = RemoteHandle(bytes: [1, 2, 3])
  private static let path = Array("/a b".utf8)

  /// Every request, and the packet that it becomes, its length and type in front of what is given.
  private static let samples: [(SFTPRequest, UInt8, PacketBytes)] = [
    (
      .open(path, [.write, .create, .exclusive], FileAttributes(permissions: 0o600)), 3,
      PacketBytes().string("/a b").word(2 | 8 | 32).word(4).word(0o600)
    ),
    (.close(handle), 4, PacketBytes().string([1, 2, 3])),
    (
      .read(handle, offset: 1 << 33, count: 32_768), 5,
      PacketBytes().string([1, 2, 3]).long(1 << 33).word(32_768)
    ),
    (
      .write(handle, offset: 9, Array(0...9)[3..<6]), 6,
      PacketBytes().string([1, 2, 3]).long(9).string([3, 4, 5])
    ),
    (.lstat(path), 7, PacketBytes().string("/a b")),
    (.fstat(handle), 8, PacketBytes().string([1, 2, 3])),
    (
      .fsetstat(handle, FileAttributes(size: 7, accessTime: 1, modificationTime: 2)), 10,
      PacketBytes().string([1, 2, 3]).word(1 | 8).long(7).word(1).word(2)
    ),
    (
      .fsetstat(handle, FileAttributes(owner: .init(userID: 5, groupID: 6))), 10,
      PacketBytes().string([1, 2, 3]).word(2).word(5).word(6)
    ),
    (.fsetstat(handle, FileAttributes(accessTime: 1)), 10, PacketBytes().string([1, 2, 3]).word(0)),
    (.opendir(path), 11, PacketBytes().string("/a b")),
    (.readdir(handle), 12, PacketBytes().string([1, 2, 3])),
    (.remove(path), 13, PacketBytes().string("/a b")),
    (.realpath(path), 16, PacketBytes().string("/a b")),
    (.stat(path), 17, PacketBytes().string("/a b")),
    (.rename(path, to: [0x62]), 18, PacketBytes().string("/a b").string("b")),
    (.readlink(path), 19, PacketBytes().string("/a b")),
    (
      .posixRename(path, to: [0x62]), 200,
      PacketBytes().string("posix-rename@openssh.com").string("/a b").string("b")
    ),
    (.limits, 200, PacketBytes().string("limits@openssh.com")),
  ]

  @Test func everyRequestIsEncodedAsTheDraftSays() {
    for (request, type, fields) in Self.samples {
      let buffer = SendQueue(capacity: 1)
      request.encode(identifier: 0xFFFF_FFFE, into: buffer)
      let expected = PacketBytes().byte(type).word(0xFFFF_FFFE).raw(fields.bytes).framed
      #expect(Array(buffer.front) == expected, "\(request)")
      #expect(request.encodedCount == expected.count - 4, "\(request)")
      #expect(request.type.rawValue == type)
    }
  }

  @Test func onlyTheBytesOfAWriteAreDroppedWhenItWasSent() {
    let write = SFTPRequest.write(RemoteHandle(bytes: [1]), offset: 7, [1, 2, 3])
    #expect(write.withoutContents == .write(RemoteHandle(bytes: [1]), offset: 7, []))
    #expect(SFTPRequest.lstat([1]).withoutContents == .lstat([1]))
  }

  @Test func theBeginningIsVersion3() {
    let buffer = SendQueue()
    SFTPRequest.encodeInitialize(into: buffer)
    #expect(Array(buffer.front) == [0, 0, 0, 5, 1, 0, 0, 0, 3])
  }

  @Test func whatWasWrittenStaysUntilItWasSent() {
    let buffer = SendQueue(capacity: 64)
    for number in 0..<100 { buffer.append(UInt32(number)) }
    let address = buffer.front.baseAddress
    #expect(buffer.front.count == 400)
    buffer.removeFirst(150)
    #expect(buffer.front.count == 250)
    #expect(buffer.front.baseAddress == address.map { $0 + 150 })
    #expect(buffer.front.elementsEqual((0..<100).flatMap { PacketBytes().word(UInt32($0)).bytes }.dropFirst(150)))
    buffer.removeFirst(-5)
    #expect(buffer.front.count == 250)
    buffer.removeFirst(.max)
    #expect(buffer.isEmpty && buffer.count == 0)
  }
}
