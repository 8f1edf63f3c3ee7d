/// What a shared object says of itself, found without running it: `dlopen` would run its code (elf(5)).
///
/// The file may say anything: each number is held against the file's size before it is used.
struct ELFImage {
  // elf.h
  private static let magic: [UInt8] = [0x7F, 0x45, 0x4C, 0x46]
  /// `ELFCLASS64`, `ELFDATA2LSB`, `EV_CURRENT`.
  private static let identification: [UInt8] = [2, 1, 1]
  private static let sharedObject: UInt16 = 3
  private static let (endTag, neededTag, stringTableTag): (UInt64, UInt64, UInt64) = (0, 1, 5)

  /// In bytes, or for names of libraries in bytes of UTF-8; no linker makes nearly as much.
  private static let (headerLimit, noteLimit, dynamicLimit, nameLimit) = (128, 64 << 10, 64 << 10, 4096)

  let machine: UInt16
  /// The names of the libraries that it needs.
  let needed: [String]
  let notes: [ELFNote]

  /// - Throws: for what is no such file, or not a whole one.
  init(_ file: ELFFile) throws(PluginError) {
    guard file.size >= 64 else { throw .notShared }
    let header = try file.bytes(at: 0, count: 64, limit: 64, "the header")
    guard header.bytes.starts(with: Self.magic), Array(header.bytes[4..<7]) == Self.identification,
      try header.number(UInt16.self, at: 16) == Self.sharedObject
    else { throw .notShared }
    machine = try header.number(UInt16.self, at: 18)
    let segments = try Self.segments(of: file, header)
    // What is mapped and not there ends the process as soon as it is touched.
    for segment in segments where segment.kind == .load {
      guard file.contains(segment.offset, count: segment.fileSize) else { throw .damaged("it is cut off") }
    }
    needed = try Self.neededLibraries(in: file, segments)
    var notes: [ELFNote] = []
    for segment in segments where segment.kind == .note {
      let bytes = try file.bytes(
        at: segment.offset, count: segment.fileSize, limit: UInt64(Self.noteLimit), "a table of notes")
      notes += try ELFNote.notes(in: bytes, alignment: segment.alignment)
    }
    self.notes = notes
  }

  private static func segments(of file: ELFFile, _ header: LittleEndianBytes) throws(PluginError) -> [ELFSegment] {
    let count = Int(try header.number(UInt16.self, at: 56))
    guard try Int(header.number(UInt16.self, at: 54)) == ELFSegment.headerSize, count > 0, count <= headerLimit else {
      throw .damaged("its program headers cannot be read")
    }
    let size = UInt64(count * ELFSegment.headerSize)
    let table = try file.bytes(
      at: try header.number(UInt64.self, at: 32), count: size, limit: size, "the table of program headers")
    var segments: [ELFSegment] = []
    for index in 0..<count { segments.append(try ELFSegment(table, at: index * ELFSegment.headerSize)) }
    return segments
  }

  private static func neededLibraries(in file: ELFFile, _ segments: [ELFSegment]) throws(PluginError) -> [String] {
    // The linker goes by its address, and by the last of several.
    guard let dynamic = segments.last(where: { $0.kind == .dynamic }) else { throw .notShared }
    guard fileOffset(of: dynamic.address, in: segments) == dynamic.offset else {
      throw .damaged("its dynamic section has two places")
    }
    let table = try file.bytes(
      at: dynamic.offset, count: dynamic.fileSize, limit: UInt64(dynamicLimit), "the dynamic section")
    var names: [UInt64] = []
    var stringTable: UInt64?
    for start in stride(from: 0, to: table.count - 15, by: 16) {
      let tag = try table.number(UInt64.self, at: start)
      let value = try table.number(UInt64.self, at: start + 8)
      if tag == endTag { break }
      if tag == neededTag { names.append(value) }
      if tag == stringTableTag { stringTable = value }
    }
    guard !names.isEmpty else { return [] }
    guard let address = stringTable, let strings = fileOffset(of: address, in: segments) else {
      throw .damaged("its names are nowhere")
    }
    var libraries: [String] = []
    for name in names {
      let (offset, overflows) = strings.addingReportingOverflow(name)
      guard !overflows else { throw .damaged("a name is beyond its end") }
      libraries.append(try file.text(at: offset, limit: nameLimit))
    }
    return libraries
  }

  /// Where in the file is what is mapped at an address; nil where nothing is.
  private static func fileOffset(of address: UInt64, in segments: [ELFSegment]) -> UInt64? {
    segments.lazy.filter { $0.kind == .load }.compactMap { $0.fileOffset(of: address) }.first
  }
}
