import URLLoadingCZlib

@testable import ArchiveProtocol

/// A zip archive made byte by byte, in which everything can be a lie.
struct ZipSample {
  struct Member {
    var name: [UInt8]
    var content: [UInt8] = Array("content".utf8)
    var method: UInt16 = 0
    var flags: UInt16 = 0
    /// Of MS-DOS by default, and made by version 2.0.
    var madeBy: UInt16 = 20
    var attributes: UInt32 = 0
    var dosTime: UInt16 = 0
    var dosDate: UInt16 = 0x21
    var extra: [UInt8] = []
    var localExtra: [UInt8] = []
    var localName: [UInt8]?
    var localMethod: UInt16?
    var checksum: UInt32?
    /// What the directory says instead of the truth.
    var size: UInt32?
    var compressedSize: UInt32?
    var position: UInt32?

    init(_ name: String) { self.name = Array(name.utf8) }
    init(bytes: [UInt8]) { name = bytes }
  }

  var members: [Member] = []
  var comment: [UInt8] = []
  /// What stands in front of the archive, without the archive knowing.
  var prefix: [UInt8] = []
  var suffix: [UInt8] = []
  /// What the end record says instead of the truth.
  var count: UInt16?
  var directorySize: UInt32?
  var directoryOffset: UInt32?
  var disk: UInt16 = 0
  /// What stands between the records and the end record, and counts as part of the directory.
  var behindRecords: [UInt8] = []

  init(_ members: [Member] = []) { self.members = members }

  func bytes() -> [UInt8] {
    var data: [UInt8] = []
    var directory: [UInt8] = []
    for member in members {
      let position = UInt32(data.count)
      let checksum = member.checksum ?? UInt32(truncatingIfNeeded: crc32_z(0, member.content, member.content.count))
      let name = member.localName ?? member.name
      data.append(littleEndian: ZipSignature.localHeader)
      data.append(littleEndian: UInt16(20))
      data.append(littleEndian: member.flags)
      data.append(littleEndian: member.localMethod ?? member.method)
      data.append(littleEndian: member.dosTime)
      data.append(littleEndian: member.dosDate)
      data.append(littleEndian: checksum)
      data.append(littleEndian: UInt32(member.content.count))
      data.append(littleEndian: UInt32(member.content.count))
      data.append(littleEndian: UInt16(name.count))
      data.append(littleEndian: UInt16(member.localExtra.count))
      data += name + member.localExtra + member.content
      directory.append(littleEndian: ZipSignature.directoryRecord)
      directory.append(littleEndian: member.madeBy)
      directory.append(littleEndian: UInt16(20))
      directory.append(littleEndian: member.flags)
      directory.append(littleEndian: member.method)
      directory.append(littleEndian: member.dosTime)
      directory.append(littleEndian: member.dosDate)
      directory.append(littleEndian: checksum)
      directory.append(littleEndian: member.compressedSize ?? UInt32(member.content.count))
      directory.append(littleEndian: member.size ?? UInt32(member.content.count))
      directory.append(littleEndian: UInt16(member.name.count))
      directory.append(littleEndian: UInt16(member.extra.count))
      directory.append(littleEndian: UInt16(0))
      directory.append(littleEndian: UInt16(0))
      directory.append(littleEndian: UInt16(0))
      directory.append(littleEndian: member.attributes)
      directory.append(littleEndian: member.position ?? position)
      directory += member.name + member.extra
    }
    directory += behindRecords
    return prefix + data + directory
      + Self.endRecord(
        members: count ?? UInt16(truncatingIfNeeded: members.count), size: directorySize ?? UInt32(directory.count),
        offset: directoryOffset ?? UInt32(data.count), disk: disk, comment: comment) + suffix
  }

  static func endRecord(
    members: UInt16, size: UInt32, offset: UInt32, disk: UInt16 = 0, comment: [UInt8] = []
  ) -> [UInt8] {
    var end: [UInt8] = []
    end.append(littleEndian: ZipSignature.endRecord)
    end.append(littleEndian: disk)
    end.append(littleEndian: disk)
    end.append(littleEndian: members)
    end.append(littleEndian: members)
    end.append(littleEndian: size)
    end.append(littleEndian: offset)
    end.append(littleEndian: UInt16(comment.count))
    return end + comment
  }

  /// An extra field.
  static func field(_ identifier: UInt16, _ data: [UInt8]) -> [UInt8] {
    var field: [UInt8] = []
    field.append(littleEndian: identifier)
    field.append(littleEndian: UInt16(data.count))
    return field + data
  }

  /// Reads the members of an archive.
  static func entries(_ bytes: [UInt8], limits: ArchiveConfiguration = ArchiveConfiguration()) throws -> [ArchiveEntry]
  {
    try ZipReader(source: MemoryByteSource(bytes), limits: limits).readEntries()
  }

  /// The error that reading the members gives.
  static func failure(_ bytes: [UInt8], limits: ArchiveConfiguration = ArchiveConfiguration()) -> ArchiveError? {
    do {
      _ = try entries(bytes, limits: limits)
      return nil
    } catch {
      return error as? ArchiveError
    }
  }
}

extension ZipSample {
  static func checksum(_ bytes: [UInt8]) -> UInt32 { UInt32(truncatingIfNeeded: crc32_z(0, bytes, bytes.count)) }
}
