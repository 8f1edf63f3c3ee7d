import Testing
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct PacketAssemblerTests {
  /// What came out, with the pieces of an answer to a read put together.
  private enum Output: Hashable {
    case packet([UInt8])
    case data(UInt32, [UInt8])
  }

  private func assemble(_ chunks: [[UInt8]]) throws(WireViolation) -> (output: [Output], isComplete: Bool) {
    var assembler = PacketAssembler()
    var output: [Output] = []
    var data: (identifier: UInt32, count: Int, bytes: [UInt8])?
    for chunk in chunks {
      try chunk.withUnsafeBufferPointer { (buffer) throws(WireViolation) in
        try assembler.receive(UnsafeRawBufferPointer(buffer)) { piece in
          switch piece {
          case .packet(let packet): output.append(.packet(Array(packet)))
          case .dataBegins(let identifier, let count): data = (identifier, count, [])
          case .data(let bytes, let isLast):
            data?.bytes += bytes
            if isLast, let whole = data {
              #expect(whole.count == whole.bytes.count)
              output.append(.data(whole.identifier, whole.bytes))
              data = nil
            }
          }
        }
      }
    }
    return (output, assembler.isBetweenPackets)
  }

  private static let packets: [PacketBytes] = [
    .version(), .status(1, 0, "ok"), .data(2, Array(0..<200)), .data(3, [7]), .handle(4, [1]), .data(5, []),
    .attributes(6, size: 1, permissions: 0, time: 0), .data(7, Array(repeating: 9, count: 300)), .status(8, 1, ""),
  ]
  private static let expected: [Output] = packets.map { packet in
    guard packet.bytes[0] == 103 else { return .packet(packet.bytes) }
    return .data(UInt32(packet.bytes[4]), Array(packet.bytes[9...]))
  }
  private static let stream = packets.flatMap(\.framed)

  @Test func aStreamInOnePiece() throws {
    let (output, isComplete) = try assemble([Self.stream])
    #expect(output == Self.expected)
    #expect(isComplete)
  }

  @Test func aStreamCutAnywhereIsTheSame() throws {
    for cut in 0...Self.stream.count {
      #expect(try assemble([Array(Self.stream[..<cut]), Array(Self.stream[cut...])]).output == Self.expected)
    }
  }

  @Test(arguments: [1, 2, 3, 5, 12, 13, 14, 64])
  func aStreamInSmallPiecesIsTheSame(size: Int) throws {
    let chunks = stride(from: 0, to: Self.stream.count, by: size).map {
      Array(Self.stream[$0..<min($0 + size, Self.stream.count)])
    }
    #expect(try assemble(chunks).output == Self.expected)
  }

  @Test func aStreamThatEndsEarlyGivesNothingBeyondWhatIsWhole() throws {
    for cut in 0..<Self.stream.count {
      let (output, isComplete) = try assemble([Array(Self.stream[..<cut])])
      #expect(output.count < Self.expected.count)
      #expect(output.elementsEqual(Self.expected.prefix(output.count)))
      let whole = Self.packets.prefix(output.count).flatMap(\.framed).count
      #expect(isComplete == (cut == whole))
    }
  }

  @Test func lengthsAreChecked() throws {
    #expect(throws: WireViolation.packetTooLong(UInt32(PacketAssembler.largestPacket) + 1)) {
      try assemble([PacketBytes().word(UInt32(PacketAssembler.largestPacket) + 1).byte(103).bytes])
    }
    #expect(throws: WireViolation.packetTooLong(.max)) { try assemble([[255, 255, 255, 255, 101]]) }
    for length in UInt32(0)..<5 {
      #expect(throws: WireViolation.packetTooShort(length)) {
        try assemble([PacketBytes().word(length).raw(Array(repeating: 101, count: 8)).bytes])
      }
    }
    for length in UInt32(5)..<9 {
      #expect(throws: WireViolation.packetTooShort(length)) {
        try assemble([PacketBytes().word(length).byte(103).raw(Array(repeating: 0, count: 20)).bytes])
      }
    }
    #expect(throws: WireViolation.truncated) {
      try assemble([PacketBytes().word(10).byte(103).word(1).word(2).byte(0).byte(0).bytes])
    }
    #expect(throws: WireViolation.trailingBytes(3)) {
      try assemble([PacketBytes().word(14).byte(103).word(1).word(2).raw([0, 0, 0, 0, 0]).bytes])
    }
  }

  @Test func theLargestPacketIsTaken() throws {
    let bytes = [UInt8](repeating: 5, count: 256 << 10)
    #expect(try assemble([PacketBytes.data(1, bytes).framed]).output == [.data(1, bytes)])
    #expect(throws: WireViolation.self) { try assemble([PacketBytes.data(1, bytes + [0]).framed]) }
  }

  @Test func garbageEndsInAnErrorOrInPackets() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<5000 {
      let count = Int.random(in: 1...100, using: &generator)
      // Small lengths, so that some of it looks like packets.
      let bytes = (0..<count).map { _ in
        UInt8.random(in: 0...(Bool.random(using: &generator) ? 1 : 255), using: &generator)
      }
      _ = try? assemble([bytes])
    }
  }

  @Test func aLoginScriptThatPrintsIsRecognised() {
    let violation = #expect(throws: WireViolation.self) { try assemble([Array("Welcome to example!\n".utf8)]) }
    #expect(violation?.description.contains("\"Welc\"") == true)
  }
}
