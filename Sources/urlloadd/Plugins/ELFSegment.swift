/// A part of an ELF file as its program header describes it (elf(5), `Elf64_Phdr`).
struct ELFSegment {
  /// In bytes.
  static let headerSize = 56

  enum Kind: UInt32 { case load = 1, dynamic = 2, note = 4 }

  /// Nil for what nobody here looks at.
  let kind: Kind?
  let offset: UInt64
  let address: UInt64
  let fileSize: UInt64
  let alignment: UInt64

  init(_ header: LittleEndianBytes, at start: Int) throws(PluginError) {
    kind = Kind(rawValue: try header.number(UInt32.self, at: start))
    offset = try header.number(UInt64.self, at: start + 8)
    address = try header.number(UInt64.self, at: start + 16)
    fileSize = try header.number(UInt64.self, at: start + 32)
    alignment = try header.number(UInt64.self, at: start + 48)
  }

  /// Where in the file an address is; nil where it is not in this part.
  func fileOffset(of wanted: UInt64) -> UInt64? {
    guard wanted >= address, wanted - address < fileSize else { return nil }
    let (sum, overflows) = offset.addingReportingOverflow(wanted - address)
    return overflows ? nil : sum
  }
}
