/// Finds the MIME type of a resource by its first bytes, as the WHATWG MIME Sniffing Standard's "rules for identifying
/// an unknown MIME type" do (section 7.1), with its font patterns (6.3) and a few archive formats it does not name.
package enum ContentSniffer {
  /// The number of bytes at the start of a resource that matter (section 5.2).
  package static let prefixLength = 1445

  /// The MIME type of a resource that starts with `bytes`; `text/plain` or `application/octet-stream` if nothing fits.
  package static func mimeType(of bytes: [UInt8]) -> String {
    let bytes = Array(bytes.prefix(prefixLength))
    if let type = markup(bytes) ?? match(patterns, bytes) ?? mp4(bytes) ?? webM(bytes) { return type }
    if let type = match(laterPatterns, bytes) { return type }
    if isMP3(bytes) { return "audio/mpeg" }
    return bytes.contains(where: isBinary) ? "application/octet-stream" : "text/plain"
  }

  /// The encoding that a byte order mark at the start of `bytes` declares (WHATWG Encoding Standard, "BOM sniff").
  package static func textEncoding(of bytes: [UInt8]) -> String? {
    let bytes = Array(bytes.prefix(3))
    if bytes == [0xEF, 0xBB, 0xBF] { return "utf-8" }
    if bytes.starts(with: [0xFE, 0xFF]) { return "utf-16be" }
    if bytes.starts(with: [0xFF, 0xFE]) { return "utf-16le" }
    return nil
  }

  /// Bytes that text does not have (section 3, "binary data byte").
  private static func isBinary(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00...0x08, 0x0B, 0x0E...0x1A, 0x1C...0x1F: true
    default: false
    }
  }

  // MARK: Patterns

  /// Bytes to compare; nil matches anything.
  private struct Pattern {
    let type: String
    let bytes: [UInt8?]

    init(_ type: String, _ text: String) {
      self.type = type
      bytes = text.unicodeScalars.map { $0 == "?" ? nil : UInt8(truncatingIfNeeded: $0.value) }
    }

    func matches(_ input: [UInt8]) -> Bool {
      input.count >= bytes.count && zip(bytes, input).allSatisfy { $0 == nil || $0 == $1 }
    }
  }

  private static func match(_ patterns: [Pattern], _ bytes: [UInt8]) -> String? {
    patterns.first { $0.matches(bytes) }?.type
  }

  /// A question mark is any byte; a scalar up to U+00FF is a byte.
  private static let patterns: [Pattern] = [
    Pattern("application/pdf", "%PDF-"),
    Pattern("application/postscript", "%!PS-Adobe-"),
    Pattern("text/plain", "\u{FE}\u{FF}??"),
    Pattern("text/plain", "\u{FF}\u{FE}??"),
    Pattern("text/plain", "\u{EF}\u{BB}\u{BF}?"),
    // Section 6.1, images.
    Pattern("image/x-icon", "\0\0\u{1}\0"),
    Pattern("image/x-icon", "\0\0\u{2}\0"),
    Pattern("image/bmp", "BM"),
    Pattern("image/gif", "GIF87a"),
    Pattern("image/gif", "GIF89a"),
    Pattern("image/webp", "RIFF????WEBPVP"),
    Pattern("image/png", "\u{89}PNG\r\n\u{1A}\n"),
    Pattern("image/jpeg", "\u{FF}\u{D8}\u{FF}"),
    // Section 6.2, audio and video.
    Pattern("audio/aiff", "FORM????AIFF"),
    Pattern("audio/mpeg", "ID3"),
    Pattern("application/ogg", "OggS\0"),
    Pattern("audio/midi", "MThd\0\0\0\u{6}"),
    Pattern("video/avi", "RIFF????AVI "),
    Pattern("audio/wave", "RIFF????WAVE"),
  ]

  private static let laterPatterns: [Pattern] = [
    // Section 6.3, fonts. The embedded OpenType pattern is masked for its first 34 bytes.
    Pattern("application/vnd.ms-fontobject", String(repeating: "?", count: 34) + "LP"),
    Pattern("font/ttf", "\0\u{1}\0\0"),
    Pattern("font/otf", "OTTO"),
    Pattern("font/collection", "ttcf"),
    Pattern("font/woff", "wOFF"),
    Pattern("font/woff2", "wOF2"),
    // Section 6.4, archives.
    Pattern("application/x-gzip", "\u{1F}\u{8B}\u{8}"),
    Pattern("application/zip", "PK\u{3}\u{4}"),
    Pattern("application/x-rar-compressed", "Rar!\u{1A}\u{7}\0"),
    // Beyond the standard.
    Pattern("application/x-7z-compressed", "7z\u{BC}\u{AF}\u{27}\u{1C}"),
    Pattern("application/x-xz", "\u{FD}7zXZ\0"),
    Pattern("application/x-bzip2", "BZh"),
    Pattern("application/zstd", "\u{28}\u{B5}\u{2F}\u{FD}"),
    Pattern("application/wasm", "\0asm"),
  ]

  // MARK: Markup

  private static let htmlTags = [
    "<!DOCTYPE HTML", "<HTML", "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT", "<TABLE", "<A", "<STYLE",
    "<TITLE", "<B", "<BODY", "<BR", "<P",
  ].map { Array($0.utf8) }

  /// HTML and XML, which may follow whitespace.
  private static func markup(_ bytes: [UInt8]) -> String? {
    let text = bytes.drop { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
    guard text.first == UInt8(ascii: "<") else { return nil }
    if text.starts(with: "<?xml".utf8) { return "text/xml" }
    if text.starts(with: "<!--".utf8) { return "text/html" }
    let isHTML = htmlTags.contains { tag in
      guard text.count > tag.count else { return false }
      let end = text[text.startIndex + tag.count]
      // A tag-terminating byte: space or ">".
      return (end == 0x20 || end == 0x3E)
        && zip(tag, text).allSatisfy { $0 == (0x61...0x7A ~= $1 ? $1 & 0xDF : $1) }
    }
    return isHTML ? "text/html" : nil
  }

  // MARK: Audio and video

  /// "Signature for MP4" (section 6.2.1): a brand that starts with `mp4` in an `ftyp` box.
  private static func mp4(_ bytes: [UInt8]) -> String? {
    guard bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    let size = bytes[0..<4].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count >= size, size % 4 == 0, size >= 12 else { return nil }
    // The major brand, then after the minor version the compatible ones.
    let brands = [8] + Array(stride(from: 16, to: size, by: 4))
    return brands.contains { bytes[$0...].starts(with: "mp4".utf8) } ? "video/mp4" : nil
  }

  /// "Signature for WebM" (section 6.2.2): an EBML header whose document type is `webm`.
  private static func webM(_ bytes: [UInt8]) -> String? {
    guard bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) else { return nil }
    var index = 4
    while index < min(bytes.count, 38) {
      guard index + 1 < bytes.count, bytes[index] == 0x42, bytes[index + 1] == 0x82 else {
        index += 1
        continue
      }
      index += 2
      guard index < bytes.count else { return nil }
      // The element's size takes as many bytes as its first has leading zeros, and one more.
      index += bytes[index].leadingZeroBitCount + 1
      guard index < bytes.count else { return nil }
      let name = bytes[index...].drop { $0 == 0 }
      return name.starts(with: "webm".utf8) ? "video/webm" : nil
    }
    return nil
  }

  /// "Signature for MP3 without ID3" (section 6.2.3): two frame headers, one frame's length apart.
  private static func isMP3(_ bytes: [UInt8]) -> Bool {
    guard let length = mp3FrameLength(bytes, at: 0) else { return false }
    return mp3FrameLength(bytes, at: length) != nil
  }

  private static func mp3FrameLength(_ bytes: [UInt8], at index: Int) -> Int? {
    guard index + 4 <= bytes.count, bytes[index] == 0xFF, bytes[index + 1] & 0xE0 == 0xE0 else { return nil }
    let version = bytes[index + 1] >> 3 & 3
    let layer = bytes[index + 1] >> 1 & 3
    let rateIndex = Int(bytes[index + 2] >> 4)
    let frequencyIndex = Int(bytes[index + 2] >> 2 & 3)
    // Version 1 is reserved; layer bits 01 are layer III, the only one that is looked for.
    guard version != 1, layer == 1, rateIndex != 0, rateIndex != 15, frequencyIndex != 3 else { return nil }
    let isVersion1 = version == 3
    let rates =
      isVersion1
      ? [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      : [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    let frequency = [44100, 48000, 32000][frequencyIndex] / [0: 4, 2: 2, 3: 1][version, default: 1]
    let samples = isVersion1 ? 144_000 : 72_000
    return rates[rateIndex] * samples / frequency + Int(bytes[index + 2] >> 1 & 1)
  }
}
