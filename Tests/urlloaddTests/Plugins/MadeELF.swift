import Foundation

/// A shared object as `ELFImage` reads one, byte by byte: headers, and what they lead to. It has no code.
struct MadeELF {
  /// Offsets of fields in a program header (elf(5), `Elf64_Phdr`).
  enum Field: Int, CaseIterable { case offset = 8, address = 16, fileSize = 32 }

  static let address: UInt64 = 0x1000
  private static let headers = (start: 64, size: 56)

  var type: UInt16 = 3
  var machine: UInt16 = 62
  var needed = ["libURLLoading.so", "libswiftCore.so", "libc.so.6"]
  var mark: String? = "0.1.0\0swift-6.3.1"
  /// Program headers whose fields say something else: by their index, 0 is what is mapped, 1 the dynamic section, 2 the notes.
  var overrides: [(header: Int, field: Field, value: UInt64)] = []
  /// Entries of the dynamic section that come first.
  var dynamic: [(UInt64, UInt64)] = []

  var bytes: [UInt8] {
    let start = Self.headers.start + 3 * Self.headers.size
    var strings: [UInt8] = [0]
    var entries = dynamic
    for name in needed {
      entries.append((1, UInt64(strings.count)))
      strings += Array(name.utf8) + [0]
    }
    let table = (entries.count + 2) * 16
    entries += [(5, Self.address + UInt64(start + table)), (0, 0)]
    let notes = mark.map { Self.note("URLLoading", Array($0.utf8)) } ?? Self.note("GNU", [1, 2, 3])
    let noteStart = (start + table + strings.count + 3) / 4 * 4
    let size = noteStart + notes.count

    var image: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + Array(repeating: 0, count: 9)
    image += Self.bytes(type) + Self.bytes(machine) + Self.bytes(UInt32(1))
    image += Self.bytes(UInt64(0)) + Self.bytes(UInt64(Self.headers.start)) + Self.bytes(UInt64(0))
    image += Self.bytes(UInt32(0)) + Self.bytes(UInt16(64)) + Self.bytes(UInt16(Self.headers.size))
    image += Self.bytes(UInt16(3)) + Array(repeating: 0, count: 6)
    image += Self.header(1, 0, size) + Self.header(2, start, table) + Self.header(4, noteStart, notes.count)
    for (tag, value) in entries { image += Self.bytes(tag) + Self.bytes(value) }
    image += strings
    image += Array(repeating: 0, count: noteStart - image.count) + notes
    for (header, field, value) in overrides {
      let place = Self.headers.start + header * Self.headers.size + field.rawValue
      image.replaceSubrange(place..<place + 8, with: Self.bytes(value))
    }
    return image
  }

  static func note(_ name: String, _ content: [UInt8], type: UInt32 = 1) -> [UInt8] {
    func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4) }
    let name = Array(name.utf8) + [0]
    return bytes(UInt32(name.count)) + bytes(UInt32(content.count)) + bytes(type) + padded(name) + padded(content)
  }

  private static func header(_ type: UInt32, _ offset: Int, _ size: Int) -> [UInt8] {
    bytes(type) + bytes(UInt32(4)) + bytes(UInt64(offset)) + bytes(address + UInt64(offset))
      + bytes(address + UInt64(offset)) + bytes(UInt64(size)) + bytes(UInt64(size)) + bytes(UInt64(4))
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
