/// A note in an ELF file: what tools leave for others (elf(5), `Elf64_Nhdr`).
struct ELFNote: Equatable {
  let name: String
  let type: UInt32
  let description: [UInt8]

  /// The notes of a part, up to the first one that is not whole.
  static func notes(in bytes: LittleEndianBytes, alignment: UInt64) throws(PluginError) -> [ELFNote] {
    // 4, but for parts that the linker has aligned to 8, as those with `GNU_PROPERTY_TYPE_0`.
    let unit = alignment == 8 ? 8 : 4
    func aligned(_ count: Int) -> Int { (count + unit - 1) / unit * unit }
    var notes: [ELFNote] = []
    var start = 0
    while start + 12 <= bytes.count {
      // Both are less than 2^32, so that no sum here overflows.
      let nameSize = Int(try bytes.number(UInt32.self, at: start))
      let size = Int(try bytes.number(UInt32.self, at: start + 4))
      let type = try bytes.number(UInt32.self, at: start + 8)
      let body = aligned(start + 12 + nameSize)
      guard let name = bytes.slice(at: start + 12, count: nameSize), let content = bytes.slice(at: body, count: size)
      else { break }
      notes.append(
        ELFNote(name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self), type: type, description: Array(content))
      )
      start = aligned(body + size)
    }
    return notes
  }
}
