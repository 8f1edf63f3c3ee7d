import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What a server may send on a WebSocket, changed at random: nothing traps, nothing grows beyond the limits, and how the bytes are cut makes
/// no difference. A round is its seed.
///
/// `make fuzz-websocket` has them take 10 minutes.
@Suite(.timeLimit(.minutes(20)), .serialized) struct WebSocketFuzzTests {
  private static let limit = 1 << 16

  /// Frames as a server might send them, right and wrong.
  private static func frames(_ random: inout SeededGenerator, _ deflater: WebSocketDeflater) -> Data {
    var bytes = Data()
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let length = [0, 1, 5, 125, 126, 1_000, 70_000].randomElement(using: &random) ?? 0
      var payload =
        Bool.random(using: &random) ? random.bytes(length) : Data(String(repeating: "aé€", count: length / 6).utf8)
      var first =
        ([0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x88, 0x89, 0x8a].randomElement(using: &random) ?? 0x81) as UInt8
      if Int.random(in: 0..<3, using: &random) == 0, !payload.isEmpty, first & 0x0f < 3 {
        payload = payload.withUnsafeBytes { deflater.deflate($0) } ?? payload
        first |= 0x40
      }
      if Int.random(in: 0..<20, using: &random) == 0 { first = UInt8.random(in: 0...255, using: &random) }
      if first & 0x08 != 0 { payload = payload.prefix(125) }
      if first & 0x0f == 8, Bool.random(using: &random) { payload = Data([0x03, 0xe8]) + payload.prefix(100) }
      bytes.append(WebSocketPeer.frame(first, payload))
    }
    return bytes
  }

  private static func change(_ bytes: inout Data, _ random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
      let start = Int.random(in: 0..<bytes.count, using: &random)
      let end = min(bytes.count, start + Int.random(in: 0...9, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes.replaceSubrange(start..<end, with: random.bytes(end - start))
      case 2: bytes.removeSubrange(start..<end)
      default: bytes.insert(contentsOf: random.bytes(3), at: start)
      }
    }
  }

  /// Whether the cut makes no difference but the one that it may: of a compressed message that is too long and undecodable as well, the
  /// length of the whole is seen before the content (1009), and the fault of a first piece before the length (1007).
  private static func isSame(_ cut: WebSocketOutcome, _ whole: WebSocketOutcome, isCompressed: Bool) -> Bool {
    guard cut != whole else { return true }
    guard isCompressed, whole.events.last == "failed 1009", cut.events.last == "failed 1007",
      whole.frames.last?.hasPrefix("close 1009") == true, cut.frames.last?.hasPrefix("close 1007") == true
    else { return false }
    return cut.events.dropLast() == whole.events.dropLast() && cut.frames.dropLast() == whole.frames.dropLast()
  }

  @Test func frames() async throws {
    try await FuzzRounds.run(300, sharedBy: 2) { random, seed in
      guard let deflater = WebSocketDeflater(WebSocketCompression()) else { return }
      var bytes = Self.frames(&random, deflater)
      Self.change(&bytes, &random)
      var compression = WebSocketCompression()
      compression.serverKeepsContext = Bool.random(using: &random)
      let isCompressed = Int.random(in: 0..<4, using: &random) > 0
      // Each run has a machine of its own: the state of zlib is not copied with it.
      func outcome(_ step: Int) -> WebSocketOutcome {
        WebSocketOutcome(
          of: bytes,
          in: WebSocketMachine(maximumMessageSize: Self.limit, compression: isCompressed ? compression : nil),
          step: step)
      }
      let whole = outcome(.max)
      let step = Int.random(in: 1...50, using: &random)
      #expect(Self.isSame(outcome(step), whole, isCompressed: isCompressed), "seed \(seed), steps of \(step)")
      let ends = whole.events.filter { $0.hasPrefix("failed") || $0.hasPrefix("closed") }
      #expect(ends.count <= 1 && (ends.isEmpty || whole.events.last == ends.first), "seed \(seed)")
      #expect(whole.frames.filter { $0.hasPrefix("close") }.count == ends.count, "seed \(seed)")
    }
  }

  @Test func deflate() async throws {
    try await FuzzRounds.run(300, sharedBy: 2) { random, seed in
      guard let deflater = WebSocketDeflater(WebSocketCompression()) else { return }
      var reader = WebSocketMessageReader(maximumSize: Self.limit, compression: WebSocketCompression())
      for _ in 0..<5 {
        var payload =
          Bool.random(using: &random)
          ? random.bytes(Int.random(in: 0...300, using: &random))
          : Data(repeating: 0x61, count: 1 + Int.random(in: 0...200_000, using: &random)).withUnsafeBytes {
            deflater.deflate($0) ?? Data()
          }
        Self.change(&payload, &random)
        do {
          try reader.begin(
            WebSocketFrameHeader(opcode: .binary, isFinal: true, isCompressed: true, length: payload.count))
          var rest = payload[...]
          while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...2_000, using: &random))
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBytes { try reader.append($0) }
          }
          if case .data(let data) = try reader.end() { #expect(data.count <= Self.limit, "seed \(seed)") }
        } catch {
          #expect(error is WebSocketFault, "seed \(seed)")
          return
        }
      }
    }
  }
}
