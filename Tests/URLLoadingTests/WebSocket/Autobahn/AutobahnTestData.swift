import Foundation
import URLLoadingTestServers

/// What the compressed messages are cut from: data of the kinds that the suite's files have, made here, 256 KiB each.
enum AutobahnTestData: String, CaseIterable, Sendable {
  case json
  case bitmap
  case prose
  case html
  case document

  /// Whether messages are text. As in the suite, prose is sent as binary messages: cut anywhere, it is no UTF-8.
  var isText: Bool { self == .json || self == .html }

  var bytes: Data {
    switch self {
    case .json: Self.jsonBytes
    case .bitmap: Self.bitmapBytes
    case .prose: Self.proseBytes
    case .html: Self.htmlBytes
    case .document: Self.documentBytes
    }
  }

  /// - Parameter start: where it begins; it goes on at the beginning where the data ends.
  func message(from start: Int, length: Int) -> Data {
    let bytes = bytes
    let first = bytes.dropFirst(start % bytes.count).prefix(length)
    return Data(first + bytes.prefix(length - first.count))
  }

  static let size = 256 << 10

  /// Appends what `piece` makes until there is enough.
  private static func fill(_ seed: UInt64, _ piece: (inout SeededGenerator) -> Data) -> Data {
    var generator = SeededGenerator(seed: seed)
    var bytes = Data(capacity: size + 1_024)
    while bytes.count < size { bytes.append(piece(&generator)) }
    return bytes.prefix(size)
  }

  private static let words = [
    "der", "und", "die", "ein", "nicht", "Geist", "Welt", "für", "schön", "Wächter", "über", "Straße", "hält", "Licht",
    "was", "früher", "Garten", "leise", "möchte", "Tag", "wieder", "groß", "Frage", "Antwort",
  ]

  private static let jsonBytes = fill(1) { generator in
    let number = Int.random(in: 1...9_999, using: &generator)
    let state = ["OK", "FAILED", "UNIMPLEMENTED"].randomElement(using: &generator) ?? ""
    return Data(
      "{\"case\": \"\(number % 13).\(number % 7)\", \"state\": \"\(state)\", \"milliseconds\": \(number)},\n".utf8)
  }

  /// A row of a gray picture: slowly changing, with some noise.
  private static let bitmapBytes = fill(2) { generator in
    let base = UInt64.random(in: 0...128, using: &generator)
    let noise = generator.next()
    var row = Data(capacity: 512)
    for column in UInt64(0)..<512 {
      let gray = base + column / 8 + (noise >> (column % 60)) % 4
      row.append(UInt8(truncatingIfNeeded: gray))
    }
    return row
  }

  private static let proseBytes = fill(3) { generator in
    let line = (0..<Int.random(in: 4...9, using: &generator)).map { _ in words.randomElement(using: &generator) ?? "" }
    return Data((line.joined(separator: " ") + ",\r\n").utf8)
  }

  private static let htmlBytes = fill(4) { generator in
    let number = Int.random(in: 1...999, using: &generator)
    return Data(
      "<tr class=\"case_ok\"><td><a href=\"#case_\(number)\">Case \(number)</a></td><td>&nbsp;</td></tr>\n".utf8)
  }

  /// Streams that are compressed already, and some text around each.
  private static let documentBytes = fill(5) { generator in
    var bytes = Data("\(generator.next() % 1_000) 0 obj\n<< /Filter /FlateDecode /Length 4096 >>\nstream\n".utf8)
    for _ in 0..<512 { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
    bytes.append(Data("\nendstream\nendobj\n".utf8))
    return bytes
  }
}
