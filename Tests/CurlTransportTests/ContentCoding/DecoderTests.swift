import Foundation
import Testing

@testable import URLLoadingCurlTransport

/// The decoders by themselves.
@Suite struct DecoderTests {
  /// Some of everything: text, what does not compress, and what does so well that one piece becomes many.
  static let mixture: [UInt8] =
    Array(String(repeating: "the quick brown fox. ", count: 50).utf8) + pattern(100_000)
    + [UInt8](repeating: 7, count: 300_000) + pattern(3000, seed: 3)

  static let short = Array("hello, hello, hello, here are some words, and hello again".utf8) + pattern(60)

  @Test(arguments: Encoding.allCases) func aWholeBodyIsDecoded(_ encoding: Encoding) {
    for bytes in [[], [1], Self.short, Self.mixture] {
      let coded = encoding.encode(bytes)
      for pieceSize in [1, 2, 3, 1000, .max] {
        let decoding = Decoding(coded, encoding.name, pieceSize: pieceSize)
        #expect(decoding.bytes == bytes && decoding.isWhole && decoding.error == nil, "\(bytes.count) by \(pieceSize)")
      }
    }
  }

  @Test(arguments: Encoding.allCases) func whatWasRefusedComesAgain(_ encoding: Encoding) {
    let coded = encoding.encode(Self.mixture)
    for pieceSize in [1, 17, 5000, .max] {
      let decoding = Decoding(coded, encoding.name, pieceSize: pieceSize, refuses: true)
      #expect(decoding.bytes == Self.mixture && decoding.isWhole, "pieces of \(pieceSize)")
    }
  }

  @Test(arguments: Encoding.allCases) func aBodyThatIsCutOffAnywhereIsNotWhole(_ encoding: Encoding) {
    let coded = encoding.encode(Self.short)
    for count in 1..<coded.count {
      let decoding = Decoding(Array(coded.prefix(count)), encoding.name)
      #expect(!decoding.isWhole, "\(count) of \(coded.count)")
      #expect(Self.short.starts(with: decoding.bytes), "\(count) of \(coded.count)")
    }
  }

  @Test(arguments: Encoding.allCases) func noBodyIsNoError(_ encoding: Encoding) {
    let decoding = Decoding([], encoding.name)
    #expect(decoding.isWhole && decoding.bytes.isEmpty)
  }

  /// A format with a checksum never gives something else for whole; the others at least come to an end.
  @Test(arguments: Encoding.allCases) func damageIsFound(_ encoding: Encoding) {
    let coded = encoding.encode(Self.short)
    for index in coded.indices {
      for bit in 0..<8 {
        var damaged = coded
        damaged[index] ^= 1 << bit
        let decoding = Decoding(damaged, encoding.name)
        #expect(
          decoding.error != nil || !decoding.isWhole || decoding.bytes == Self.short || !encoding.hasChecksum,
          "bit \(bit) of byte \(index)")
      }
    }
  }

  @Test(arguments: ["gzip", "deflate", "br", "zstd"]) func garbageIsAnError(_ coding: String) {
    for byte: UInt8 in [0xFF, 0x55, 0x41] {
      let decoding = Decoding([UInt8](repeating: byte, count: 3000), coding)
      #expect(decoding.error != nil && decoding.error != .outOfMemory, "\(byte)")
    }
    // The name is in what is said.
    guard case .malformed(let text) = Decoding([UInt8](repeating: 0xFF, count: 64), coding).error else {
      Issue.record("no error")
      return
    }
    #expect(text.contains(coding))
  }

  @Test func whatFollowsTheEndIsAnError() {
    let garbage: [UInt8] = [1, 2, 3, 4, 5]
    for encoding in Encoding.allCases {
      for pieceSize in [1, .max] {
        let decoding = Decoding(encoding.encode(Self.short) + garbage, encoding.name, pieceSize: pieceSize)
        #expect(decoding.error != nil, "\(encoding) by \(pieceSize)")
      }
    }
    // gzip is often padded, and some servers send a checksum that raw deflate does not have.
    let padded = Decoding(Encoding.gzip.encode(Self.short) + [UInt8](repeating: 0, count: 512), "gzip")
    #expect(padded.bytes == Self.short && padded.isWhole)
    let notPadding = Decoding(Encoding.gzip.encode(Self.short) + [0, 0, 9], "gzip")
    #expect(notPadding.error != nil)
    let summed = Decoding(Encoding.rawDeflate.encode(Self.short) + garbage.prefix(4), "deflate", pieceSize: 1)
    #expect(summed.bytes == Self.short && summed.isWhole)
  }

  @Test func membersAndFramesFollowOneAnother() {
    let skipped: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 9, 9, 9]
    for pieceSize in [1, 7, .max] {
      let gzip = Encoding.gzip.encode(Self.short)
      let members = Decoding(gzip + Encoding.gzip.encode([]) + gzip, "gzip", pieceSize: pieceSize)
      #expect(members.bytes == Self.short + Self.short && members.isWhole)
      #expect(!Decoding(gzip + [0x1F], "gzip", pieceSize: pieceSize).isWhole)
      let zstd = Encoding.zstd.encode(Self.short)
      let frames = Decoding(skipped + zstd + skipped + zstd, "zstd", pieceSize: pieceSize)
      #expect(frames.bytes == Self.short + Self.short && frames.isWhole)
      #expect(!Decoding(zstd + skipped.prefix(5), "zstd", pieceSize: pieceSize).isWhole)
    }
  }

  /// Servers mix them up.
  @Test func zlibPassesForGzip() {
    let decoding = Decoding(Encoding.zlib.encode(Self.short), "gzip")
    #expect(decoding.bytes == Self.short && decoding.isWhole)
  }

  @Test func windowsOfZstdAreLimited() {
    let bytes = [UInt8](repeating: 1, count: 100_000)
    #expect(Decoding(Encoding.zstd(bytes, 200, windowLog: 23), "zstd").isWhole)
    let large = Decoding(Encoding.zstd(bytes, 200, windowLog: 24), "zstd")
    #expect(large.error != nil && large.bytes.isEmpty)
  }

  @Test(arguments: Encoding.allCases, Encoding.allCases)
  func codingsAreChained(_ first: Encoding, _ second: Encoding) {
    let coded = second.encode(first.encode(Self.mixture))
    let names = "\(first.name), \(second.name)"
    for (pieceSize, refuses) in [(1, false), (999, true), (.max, true), (.max, false)] {
      let decoding = Decoding(coded, names, pieceSize: pieceSize, refuses: refuses)
      #expect(decoding.bytes == Self.mixture && decoding.isWhole, "\(pieceSize)")
    }
    // Cut off inside and outside.
    #expect(!Decoding(Array(coded.dropLast()), names).isWhole)
    #expect(!Decoding(second.encode(first.encode(Self.mixture).dropLast()), names).isWhole)
  }

  @Test func theNamesOfCodings() throws {
    #expect(try ContentCoding.list(["gzip, br", "zstd"]) == [.gzip, .brotli, .zstd])
    #expect(try ContentCoding.list([" X-GZip\t,,identity , Deflate"]) == [.gzip, .deflate])
    #expect(try ContentCoding.list(["", "identity", "none"]) == [])
    #expect(try ContentCoding.list(["gzip,gzip,gzip,gzip,gzip"]).count == 5)
    #expect(throws: ContentDecodingError.self) { try ContentCoding.list(["gzip,gzip,gzip,gzip,gzip,gzip"]) }
    #expect(try ContentCoding.list(["gzip, compress"]) == [] && ContentCoding.list(["gzip", "gz ip"]) == [])
    #expect(ContentCoding.areDecoded(["identity", "x-gzip"]) && !ContentCoding.areDecoded(["gzip", "utf-8"]))
    #expect(supportedContentCodings == ContentCoding.allCases.map(\.rawValue).joined(separator: ", "))
  }
}
