import Foundation
import URLLoading

/// Reads what ``IndexEncoder`` writes; nil for bytes that make no sense.
struct IndexDecoder {
  private let bytes: [UInt8]
  private var position = 0
  private var isBroken = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func takeIndex() -> KnownIndex? {
    let format = String(decoding: takeBytes(), as: UTF8.self)
    let length = takeLength()
    let tag = String(decoding: takeBytes(), as: UTF8.self)
    let modified = takeDate()
    let isStrong = takeNumber() == 1
    let count = takeNumber()
    // Every entry has some bytes.
    guard !isBroken, count <= UInt64(bytes.count) else { return nil }
    var entries: [ArchiveEntry] = []
    entries.reserveCapacity(Int(count))
    for _ in 0..<count {
      let entry = takeEntry()
      guard !isBroken else { return nil }
      entries.append(entry)
    }
    guard position == bytes.count else { return nil }
    return KnownIndex(
      formatName: format, length: length,
      validators: ResourceValidators(
        entityTag: tag.isEmpty ? nil : tag, lastModified: modified, isLastModifiedStrong: isStrong),
      index: ArchiveIndex(entries))
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    guard !isBroken, count >= 0, count <= bytes.count - position else {
      isBroken = true
      return []
    }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  mutating func takeBytes() -> ArraySlice<UInt8> { take(Int(clamping: takeNumber())) }

  private mutating func takeEntry() -> ArchiveEntry {
    let path = Array(takeBytes())
    let kind: ArchiveEntry.Kind
    switch takeNumber() {
    case 0: kind = .file
    case 1: kind = .directory
    case 2: kind = .symbolicLink(target: Array(takeBytes()))
    case 3: kind = .hardLink(to: Array(takeBytes()))
    default: kind = .other(ArchiveEntry.Special(rawValue: UInt8(clamping: takeNumber())) ?? .unknown)
    }
    let size = takeOptional()
    let modified = takeDate()
    let checksum = takeOptional().map { UInt32(truncatingIfNeeded: $0) }
    let isEncrypted = takeNumber() == 1
    let location: ArchiveEntry.Location
    switch takeNumber() {
    case 1: location = .plain(position: takeLength())
    case 2:
      location = .zip(
        localHeader: takeLength(), compressedSize: takeLength(), method: UInt16(truncatingIfNeeded: takeNumber()),
        flags: UInt16(truncatingIfNeeded: takeNumber()))
    case 3: location = .ordinal(Int(clamping: takeNumber()), headerPosition: takeOptional())
    default: location = .none
    }
    return ArchiveEntry(
      path: path, kind: kind, size: size, modificationDate: modified, checksum: checksum, isEncrypted: isEncrypted,
      location: location)
  }

  private mutating func takeLength() -> Int64 { Int64(clamping: takeNumber()) }

  private mutating func takeOptional() -> Int64? {
    let number = takeNumber()
    return number == 0 ? nil : Int64(clamping: number - 1)
  }

  private mutating func takeDate() -> Date? {
    guard takeNumber() == 1 else { return nil }
    return Date(timeIntervalSince1970: Double(bitPattern: take(8).littleEndian))
  }

  private mutating func takeNumber() -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64 {
      guard let byte = take(1).first else { return 0 }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
    isBroken = true
    return 0
  }
}
