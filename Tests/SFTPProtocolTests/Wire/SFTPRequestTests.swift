import Testing

@testable import SFTPProtocol

@Suite struct SFTPRequestTests {
  private static let handle = RemoteHandle(bytes: [1, 2, 3])
  private static let path = Array("/a b".utf8)

  /// Every request, and the packet that it becomes, its length and type in front of what is given.
  private static let samples: [(@Sendable (SFTPClient) -> Void, UInt8, PacketBytes)] = [
    (
      { $0.open(path, [.write, .create, .exclusive]) { _ in } }, 3,
      PacketBytes().string("/a b").word(2 | 8 | 32).word(0)
    ),
    ({ $0.close(handle) }, 4, PacketBytes().string([1, 2, 3])),
    (
      { $0.read(handle, offset: 1 << 33, count: 32_768) { _ in } }, 5,
      PacketBytes().string([1, 2, 3]).long(1 << 33).word(32_768)
    ),
    (
      { $0.write(handle, offset: 9, Array(0...9)[3..<6]) { _ in } }, 6,
      PacketBytes().string([1, 2, 3]).long(9).string([3, 4, 5])
    ),
    ({ $0.lstat(path) { _ in } }, 7, PacketBytes().string("/a b")),
    ({ $0.fstat(handle) { _ in } }, 8, PacketBytes().string([1, 2, 3])),
    (
      { $0.fsetstat(handle, FileAttributes(permissions: 0o640)) { _ in } }, 10,
      PacketBytes().string([1, 2, 3]).word(4).word(0o640)
    ),
    (
      { $0.fsetstat(handle, FileAttributes(owner: .init(userID: 5, groupID: 6))) { _ in } }, 10,
      PacketBytes().string([1, 2, 3]).word(2).word(5).word(6)
    ),
    ({ $0.opendir(path) { _ in } }, 11, PacketBytes().string("/a b")),
    ({ $0.readdir(handle) { _ in } }, 12, PacketBytes().string([1, 2, 3])),
    ({ $0.remove(path) { _ in } }, 13, PacketBytes().string("/a b")),
    ({ $0.realpath(path) { _ in } }, 16, PacketBytes().string("/a b")),
    ({ $0.stat(path) { _ in } }, 17, PacketBytes().string("/a b")),
    ({ $0.rename(path, to: [0x62]) { _ in } }, 18, PacketBytes().string("/a b").string("b")),
    ({ $0.readlink(path) { _ in } }, 19, PacketBytes().string("/a b")),
    (
      { $0.posixRename(path, to: [0x62]) { _ in } }, 200,
      PacketBytes().string("posix-rename@openssh.com").string("/a b").string("b")
    ),
    (
      { $0.copyData(from: handle, to: RemoteHandle(bytes: [9]), offset: 7, count: 11) { _ in } }, 200,
      PacketBytes().string("copy-data").string([1, 2, 3]).long(7).long(11).string([9]).long(7)
    ),
  ]

  /// A client whose server has said that it speaks version 3, with these extensions.
  private func client(_ extensions: [(String, String)] = []) -> SFTPClient {
    let client = SFTPClient()
    client.channelDidOpen()
    client.channelDidSend(client.bytesToSend.count)
    PacketBytes.version(3, extensions).framed.withUnsafeBytes { client.channelDidReceive($0) }
    return client
  }

  @Test func everyRequestIsEncodedAsTheDraftSays() {
    for (request, type, fields) in Self.samples {
      let client = client()
      request(client)
      #expect(Array(client.bytesToSend) == PacketBytes().byte(type).word(0).raw(fields.bytes).framed, "\(type)")
    }
    let client = client([("limits@openssh.com", "1")])
    #expect(Array(client.bytesToSend) == PacketBytes().byte(200).word(0).string("limits@openssh.com").framed)
  }

  @Test func theLengthIsThatOfThePacket() {
    let queue = SendQueue(capacity: 1)
    let request = SFTPRequest(
      type: .write, replyType: .status, fields: [.string([1, 2, 3]), .uint64(9), .uint32(7), .string([])])
    request.encode(identifier: 0xFFFF_FFFE, into: queue)
    let expected = PacketBytes().byte(6).word(0xFFFF_FFFE).string([1, 2, 3]).long(9).word(7).string("").framed
    #expect(Array(queue.front) == expected)
    #expect(request.encodedCount == expected.count - 4)
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
