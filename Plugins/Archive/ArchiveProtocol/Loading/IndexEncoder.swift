import Foundation
import URLLoading

/// Writes a known index as bytes: numbers in LEB128, byte strings with their length in front.
struct IndexEncoder {
  private(set) var bytes: [UInt8]

  init(_ start: [UInt8]) { bytes = start }

  mutating func put(_ known: KnownIndex) {
    put(Array(known.formatName.utf8))
    put(UInt64(max(known.length, 0)))
    put(Array((known.validators.entityTag ?? "").utf8))
    put(known.validators.lastModified)
    put(known.validators.isLastModifiedStrong ? 1 : 0)
    put(UInt64(known.index.entries.count))
    for entry in known.index.entries { put(entry) }
  }

  mutating func put(_ text: [UInt8]) {
    put(UInt64(text.count))
    bytes.append(contentsOf: text)
  }

  private mutating func put(_ entry: ArchiveEntry) {
    put(entry.path)
    switch entry.kind {
    case .file: put(0)
    case .directory: put(1)
    case .symbolicLink(let target):
      put(2)
      put(target)
    case .hardLink(let target):
      put(3)
      put(target)
    case .other(let special):
      put(4)
      put(UInt64(special.rawValue))
    }
    put(entry.size.map { UInt64(max($0, 0)) &+ 1 } ?? 0)
    put(entry.modificationDate)
    put(entry.checksum.map { UInt64($0) + 1 } ?? 0)
    put(entry.isEncrypted ? 1 : 0)
    switch entry.location {
    case .none: put(0)
    case .plain(let position):
      put(1)
      put(UInt64(max(position, 0)))
    case .zip(let header, let size, let method, let flags):
      put(2)
      put(UInt64(max(header, 0)))
      put(UInt64(max(size, 0)))
      put(UInt64(method))
      put(UInt64(flags))
    case .ordinal(let number, let position):
      put(3)
      put(UInt64(max(number, 0)))
      put(position.map { UInt64(max($0, 0)) + 1 } ?? 0)
    }
  }

  private mutating func put(_ date: Date?) {
    put(date == nil ? 0 : 1)
    if let date { bytes.append(littleEndian: date.timeIntervalSince1970.bitPattern) }
  }

  private mutating func put(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
