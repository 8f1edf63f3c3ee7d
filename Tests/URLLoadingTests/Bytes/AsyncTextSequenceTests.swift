import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct AsyncTextSequenceTests {
  @Test(
    arguments: [
      ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("a\rb", ["a", "b"]),
      ("\n\na\n\n\r\n\r\rb\n\n", ["a", "b"]), ("a\u{85}b\u{2028}c\u{2029}d", ["a", "b", "c", "d"]),
      ("a\u{B}b\u{C}c", ["a", "b", "c"]), ("é\u{2027}\u{202A}\u{84}\u{86}", ["é\u{2027}\u{202A}\u{84}\u{86}"]),
      ("\u{2028}", []), (" \n\t\n", [" ", "\t"]), ("日本\n語", ["日本", "語"]), ("a\n\rb", ["a", "b"]),
    ] as [(String, [String])])
  func lines(text: String, expected: [String]) async throws {
    for size in 1...5 {
      #expect(try await ChunkedBytes(Array(text.utf8), size: size).lines.collected() == expected)
    }
  }

  @Test func wrongBytesInLines() async throws {
    let bytes: [UInt8] = [
      0x61, 0xFF, 0x0A, 0xE2, 0x80, 0x0A, 0xC2, 0x0A, 0xE0, 0xC2, 0x85, 0xE2, 0xE2, 0x80, 0xA8, 0x62,
    ]
    let lines = try await ChunkedBytes(bytes, size: 3).lines.collected()
    #expect(lines == ["a\u{FFFD}", "\u{FFFD}", "\u{FFFD}", "\u{FFFD}", "\u{FFFD}", "b"])
  }

  /// A sequence that fails the test's expectations if anybody reads past what a line needs.
  @Test func aLineComesWithItsFirstLineEndByte() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: UInt8.self)
    var lines = stream.lines.makeAsyncIterator()
    for byte in "one\r".utf8 { continuation.yield(byte) }
    // Nothing follows the CR yet; waiting for a LF would hang here.
    #expect(await lines.next() == "one")
    for byte in "\ntwo".utf8 { continuation.yield(byte) }
    continuation.finish()
    #expect(await lines.next() == "two")
    #expect(await lines.next() == nil)
  }

  @Test func errorsPassThrough() async throws {
    let bytes = ChunkedBytes(Array("one\ntwo".utf8), size: 2, failure: .init())
    var lines = bytes.lines.makeAsyncIterator()
    #expect(try await lines.next() == "one")
    await #expect(throws: ChunkedBytes.ScriptedFailure()) { try await lines.next() }
    #expect(try await lines.next() == nil)
    await #expect(throws: ChunkedBytes.ScriptedFailure()) { try await bytes.characters.collected() }
    await #expect(throws: ChunkedBytes.ScriptedFailure()) { try await bytes.unicodeScalars.collected() }
  }

  @Test func charactersAndScalars() async throws {
    let text = "a\r\n👨‍👩‍👧‍👦🇩🇪🇫🇷e\u{301}\u{302}한글\u{1100}\u{1161}\n\u{301}z"
    for size in [1, 2, 3, 100] {
      let bytes = ChunkedBytes(Array(text.utf8), size: size)
      #expect(try await bytes.characters.collected() == Array(text))
      #expect(try await bytes.unicodeScalars.collected() == Array(text.unicodeScalars))
    }
  }

  @Test func aMillionCombiningMarksAreOneCharacter() async throws {
    var bytes: [UInt8] = [0x65]
    for _ in 0..<1_000_000 { bytes += [0xCC, 0x81] }
    let characters = try await ChunkedBytes(bytes, size: 65536).characters.collected()
    #expect(characters.count == 1)
    #expect(characters.first?.unicodeScalars.count == 1_000_001)
  }

  @Test func noiseDecodesLikeString() async throws {
    var random = SeededGenerator(seed: 7)
    let pieces: [[UInt8]] = [
      [0x61], [0x0D], [0x0A], [0xC2], [0x85], [0xE2], [0x80], [0xA8], [0xF0], [0x9F], [0x91], [0xA8], [0xED], [0xA0],
      [0xF4], [0x90], [0xC0], [0xE0], [0xFF], Array("👨‍👩‍👧".utf8), Array("🇩".utf8), Array("\u{301}".utf8),
      Array("\u{1100}".utf8), Array("\u{915}\u{94D}".utf8), Array("\u{200D}".utf8), Array("é".utf8),
    ]
    for _ in 0..<3000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...25, using: &random) { bytes += pieces.randomElement(using: &random) ?? [] }
      let text = String(decoding: bytes, as: UTF8.self)
      let sequence = ChunkedBytes(bytes, size: Int.random(in: 1...8, using: &random))
      #expect(try await sequence.unicodeScalars.collected() == Array(text.unicodeScalars), "\(bytes)")
      #expect(try await sequence.characters.collected() == Array(text), "\(bytes)")
      let lines = text.unicodeScalars.split {
        (0x0A...0x0D).contains($0.value) || [0x85, 0x2028, 0x2029].contains($0.value)
      }
      #expect(try await sequence.lines.collected() == lines.map { String($0) }, "\(bytes)")
    }
  }
}
