import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@Suite struct XXHash64Tests {
  private static func hash(_ bytes: Data) -> UInt64 { bytes.withUnsafeBytes { XXHash64.hash(of: $0) } }

  /// What other implementations give.
  private static let known: [(String, UInt64)] = [
    ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
    ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
  ]

  @Test(arguments: known)
  func knownHashes(text: String, hash: UInt64) {
    #expect(Self.hash(Data(text.utf8)) == hash)
  }

  @Test func piecesHaveTheHashOfTheWhole() {
    var random = SeededGenerator(seed: 64)
    for length in 0..<200 {
      let bytes = TestFiles.pattern(count: length)
      var hash = XXHash64()
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 0...70, using: &random))
        piece.withUnsafeBytes { hash.update($0) }
        rest = rest.dropFirst(piece.count)
      }
      #expect(hash.value == Self.hash(bytes), "\(length) bytes")
    }
  }

  @Test func eachByteCounts() {
    for length in [1, 7, 31, 32, 33, 100] {
      let bytes = TestFiles.pattern(count: length)
      for index in 0..<length {
        var changed = bytes
        changed[index] ^= 0x10
        #expect(Self.hash(changed) != Self.hash(bytes), "byte \(index) of \(length)")
      }
    }
  }
}
