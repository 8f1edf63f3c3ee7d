import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct Base64Tests {
  private func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

  private func decode(_ text: [UInt8]) -> [UInt8]? {
    guard let plain = text.withUnsafeBytes({ Base64.plain($0) }) else { return nil }
    let capacity = Base64.outputCapacity(ofPlain: plain.count)
    return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
      guard let start = output.baseAddress else { return }
      plain.withUnsafeBytes { Base64.decode(plain: $0, into: start) }
      count = Base64.decodedCount(ofPlain: plain.count)
    }
  }

  @Test(arguments: [
    ("", ""), ("Zg==", "f"), ("Zg", "f"), ("Zm8=", "fo"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar"),
    (" Z\tm\n9\u{C}v\r", "foo"), ("Z g = =", "f"), ("Zg= =", "f"), ("Zh==", "f"), ("Zn", "f"), ("Zm9=", "fo"),
  ])
  func valid(input: String, output: String) {
    #expect(decode(input) == Array(output.utf8))
  }

  @Test(arguments: [
    "Z", "Zg=", "Z===", "=", "==", "===", "====", "Zm9v=", "Zm9v==", "Zm8==", "Zm9vY", "Z-9v", "Z_9v", "Zm9v\u{B}",
    "Zm9v\u{A0}", "Zm9v\0", "=Zm9", "Zg==Zg==", "Zm9vZ=9v", "Zm9vZm9vZm9vZm9v!", "Zm9vé",
  ])
  func invalid(input: String) {
    #expect(decode(input) == nil)
  }

  @Test(arguments: [
    ("Zm9%76", "foo"), ("%5Am9v", "foo"), ("Zg%3D%3d", "f"), ("Zm%209v%0A", "foo"),
    ("Zm9vYmFyZm9vYmFy%20Zm9v", "foobarfoobarfoo"),
  ])
  func percentEncoded(input: String, output: String) {
    #expect(decode(input) == Array(output.utf8))
  }

  @Test(arguments: ["Zm9v%", "Zm9v%2", "Zm9v%zz", "Zm9v%%20", "Zm9v%2", "Zm9v%00", "%25"])
  func wrongEscapes(input: String) {
    #expect(decode(input) == nil)
  }

  @Test func agreesWithFoundationOnRandomBytes() {
    var random = SeededGenerator(seed: 1)
    for count in 0..<300 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(decode(Data(bytes).base64EncodedString()) == bytes)
    }
  }

  /// The specification word by word, slowly.
  private func reference(_ input: [UInt8]) -> [UInt8]? {
    var text = input.filter { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
    if text.count % 4 == 0 {
      for _ in 0..<2 where text.last == UInt8(ascii: "=") { text.removeLast() }
    }
    if text.count % 4 == 1 { return nil }
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits: [Bool] = []
    for byte in text {
      guard let value = alphabet.firstIndex(of: byte) else { return nil }
      for shift in (0..<6).reversed() { bits.append(value >> shift & 1 == 1) }
    }
    return stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }

  @Test func agreesWithTheSpecificationOnNoise() {
    var random = SeededGenerator(seed: 2)
    // Mostly alphabet, so that both verdicts and both paths are common.
    let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let rare: [UInt8] = Array("== \n\r\t\u{C}".utf8) + [0x0B, 0x80, 0xFF, UInt8(ascii: "-")]
    var accepted = 0
    for _ in 0..<20_000 {
      let rareness = Int.random(in: 2...40, using: &random)
      var input: [UInt8] = []
      for _ in 0..<Int.random(in: 0...70, using: &random) {
        let isRare = Int.random(in: 0..<rareness, using: &random) == 0
        input.append((isRare ? rare : common).randomElement(using: &random) ?? 0)
      }
      if Bool.random(using: &random) { input += Array("==".utf8.prefix(Int.random(in: 0...2, using: &random))) }
      let expected = reference(input)
      if expected != nil { accepted += 1 }
      #expect(decode(input) == expected, "\(String(decoding: input, as: UTF8.self))")
    }
    #expect(accepted > 2000 && accepted < 18_000)
  }

  @Test func escapesAndLineEndsAreLeftOut() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
      let escaped = text.replacingOccurrences(of: "A", with: "%41").replacingOccurrences(of: "\n", with: "%0A")
      #expect(decode(escaped) == bytes)
    }
  }

  @Test func plainMeansAlphabetOnly() {
    for position in [0, 3, 7, 8, 15, 16, 18] {
      for byte in UInt8.min...UInt8.max {
        var text = Array("ABCDEFGHIJKLMNOPQRS".utf8)
        text[position] = byte
        let isAlphabet =
          byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
          || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
        #expect(text.withUnsafeBytes { Base64.isPlain($0) } == isAlphabet, "\(byte) at \(position)")
      }
    }
  }
}
