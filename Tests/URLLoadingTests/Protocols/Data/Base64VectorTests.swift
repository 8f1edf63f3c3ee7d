import Foundation
import Testing

@testable import URLLoading

@Suite struct Base64VectorTests {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  @Test func everyByteAtEveryPlaceIsTold() {
    for count in [64, 80] {
      for position in stride(from: 0, to: count, by: 3) {
        for byte in UInt8.min...UInt8.max {
          var text = (0..<count).map { Self.alphabet[$0 % 64] }
          text[position] = byte
          let prefix = text.withUnsafeBytes { Base64Vector.plainPrefix(of: $0) }
          let expected = Self.alphabet.contains(byte) ? count : position / 16 * 16
          #expect(prefix == expected, "\(byte) at \(position) of \(count)")
        }
      }
    }
  }

  @Test func lessThanAStepIsLeftOut() {
    for count in 0..<200 {
      let text = [UInt8](repeating: UInt8(ascii: "A"), count: count)
      #expect(text.withUnsafeBytes { Base64Vector.plainPrefix(of: $0) } == count / 16 * 16)
    }
  }

  @Test func decodesEveryPairOfCharactersAtEveryPlace() throws {
    for first in Self.alphabet {
      for second in Self.alphabet {
        // 48 characters: two steps at once, then one.
        let text = [UInt8]((0..<24).flatMap { _ in [first, second] })
        let expected = try #require(Data(base64Encoded: Data(text)))
        #expect(decode(text) == Array(expected))
      }
    }
  }

  @Test func writesNothingBehindItsRoom() {
    let text = [UInt8](repeating: UInt8(ascii: "/"), count: 16)
    var room = [UInt8](repeating: 7, count: 32)
    room.withUnsafeMutableBytes { room in
      text.withUnsafeBytes { text in
        if let start = room.baseAddress { Base64Vector.decode(plain: text, into: start) }
      }
    }
    #expect(room[..<12].allSatisfy { $0 == 0xFF })
    #expect(room[Base64Vector.bytesWritten...].allSatisfy { $0 == 7 })
  }

  private func decode(_ text: [UInt8]) -> [UInt8] {
    let count = text.count / 4 * 3
    var room = [UInt8](repeating: 0, count: count + 2)
    room.withUnsafeMutableBytes { room in
      text.withUnsafeBytes { text in
        if let start = room.baseAddress { Base64Vector.decode(plain: text, into: start) }
      }
    }
    return Array(room[..<count])
  }
}
