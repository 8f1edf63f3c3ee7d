/// Names of formats that are not read, for messages.
enum ForeignFormat {
  static func describe(_ head: [UInt8]) -> String? {
    guard !head.isEmpty else { return "an empty file" }
    let magics: [(String, [UInt8])] = [
      ("a file packed by compress (.Z)", [0x1f, 0x9d]), ("an lzip file", Array("LZIP".utf8)),
      ("an lrzip file", Array("LRZI".utf8)), ("an lzop file", [0x89, 0x4c, 0x5a, 0x4f]),
      ("an RPM package", [0xed, 0xab, 0xee, 0xdb]), ("a PDF document", Array("%PDF".utf8)),
      ("a program", [0x7f, 0x45, 0x4c, 0x46]), ("a Windows program", Array("MZ".utf8)),
      ("a SquashFS image", Array("hsqs".utf8)), ("an ARJ archive", [0x60, 0xea]),
    ]
    if let found = magics.first(where: { head.starts(with: $0.1) }) { return found.0 }
    let text = String(decoding: head.prefix(256), as: UTF8.self).lowercased()
    let start = text.drop { $0.isWhitespace }
    if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") { return "an HTML page" }
    return nil
  }
}
