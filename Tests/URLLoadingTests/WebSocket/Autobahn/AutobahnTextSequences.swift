import Foundation

/// The payloads of the cases 6.5 to 6.23, in hexadecimal; those with a minus are not UTF-8.
///
/// Most go back to Markus Kuhn's "UTF-8 decoder capability and stress test".
enum AutobahnTextSequences {
  struct Sequence: Sendable {
    let number: String
    let payload: Data
    let isText: Bool
  }

  static let all: [Sequence] = sections.enumerated().flatMap { (section: Int, words: String) -> [Sequence] in
    words.split(separator: " ").enumerated().map { (index: Int, word: Substring) -> Sequence in
      let payload = bytes(word.drop { $0 == "-" })
      return Sequence(number: "6.\(section + 5).\(index + 1)", payload: payload, isText: word.first != "-")
    }
  }

  static func bytes(_ hexadecimal: some StringProtocol) -> Data {
    let digits = hexadecimal.compactMap { UInt8($0.hexDigitValue ?? 0) }
    return Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// The bytes, in hexadecimal and with `between` after each.
  private static func row(_ range: Range<UInt8>, _ between: String) -> String {
    let words: [String] = range.map { String($0, radix: 16) + between }
    return "-" + words.joined()
  }

  private static let incomplete =
    "-c0 -e080 -f08080 -f8808080 -fc80808080 -df -efbf -f7bfbf -fbbfbfbf -fdbfbfbfbf"

  /// Beginnings of two to six bytes; the suite leaves the last of each out.
  private static let lonely: [Range<UInt8>] = [0xc0..<0xdf, 0xe0..<0xef, 0xf0..<0xf7, 0xf8..<0xfb, 0xfc..<0xfd]

  private static let sections: [String] = [
    // 6.5: text.
    "68656c6c6f24776f726c64 68656c6c6fc2a2776f726c64 68656c6c6fe282ac776f726c64 68656c6c6ff0a4ada2776f726c64 "
      + "cebae1bdb9cf83cebcceb5",
    // 6.6: all beginnings of a text.
    "-ce ceba -cebae1 -cebae1bd cebae1bdb9 -cebae1bdb9cf cebae1bdb9cf83 -cebae1bdb9cf83ce cebae1bdb9cf83cebc "
      + "-cebae1bdb9cf83cebcce cebae1bdb9cf83cebcceb5",
    // 6.7: the first of each length.
    "00 c280 e0a080 f0908080",
    // 6.8: the first of five and six bytes.
    "-f888808080 -fc8480808080",
    // 6.9: the last of each length.
    "7f dfbf efbfbf f48fbfbf",
    // 6.10: the last of four, five and six bytes, as these could be.
    "-f7bfbfbf -fbbfbfbfbf -fdbfbfbfbfbf",
    // 6.11: other limits.
    "ed9fbf ee8080 efbfbd f48fbfbf -f4908080",
    // 6.12: continuations of nothing.
    "-80 -bf -80bf -80bf80 -80bf80bf -80bf80bf80 -80bf80bf80bf " + row(0x80..<0xbf, ""),
    // 6.13: beginnings without continuation.
    lonely.map { row($0, "20") }.joined(separator: " "),
    // 6.14: the last continuation is missing.
    incomplete,
    // 6.15: all of these in a row.
    "-" + incomplete.filter { $0 != "-" && $0 != " " },
    // 6.16: bytes that no text has.
    "-fe -ff -fefeffff",
    // 6.17: a slash, overlong.
    "-c0af -e080af -f08080af -f8808080af -fc80808080af",
    // 6.18: the last that is overlong, of each length.
    "-c1bf -e09fbf -f08fbfbf -f887bfbfbf -fc83bfbfbfbf",
    // 6.19: NUL, overlong.
    "-c080 -e08080 -f0808080 -f880808080 -fc8080808080",
    // 6.20: surrogates.
    "-eda080 -edadbf -edae80 -edafbf -edb080 -edbe80 -edbfbf",
    // 6.21: pairs of surrogates.
    "-eda080edb080 -eda080edbfbf -edadbfedb080 -edadbfedbfbf -edae80edb080 -edae80edbfbf -edafbfedb080 -edafbfedbfbf",
    // 6.22: code points that are no characters, and text all the same.
    "efbfbe efbfbf f09fbfbe f09fbfbf f0afbfbe f0afbfbf f0bfbfbe f0bfbfbf f18fbfbe f18fbfbf f19fbfbe f19fbfbf "
      + "f1afbfbe f1afbfbf f1bfbfbe f1bfbfbf f28fbfbe f28fbfbf f29fbfbe f29fbfbf f2afbfbe f2afbfbf f2bfbfbe f2bfbfbf "
      + "f38fbfbe f38fbfbf f39fbfbe f39fbfbf f3afbfbe f3afbfbf f3bfbfbe f3bfbfbf f48fbfbe f48fbfbf",
    // 6.23: the specials of Unicode.
    "efbfb9 efbfba efbfbb efbfbc efbfbd efbfbe efbfbf",
  ]
}
