import Foundation

/// What an archive's directory says about one member.
struct ArchiveEntry: Sendable, Hashable, Codable {
  enum Kind: Sendable, Hashable, Codable {
    case file
    case directory
    /// The target as the archive has it: relative to the member's own directory, or absolute.
    case symbolicLink(target: [UInt8])
    /// Another name of a member that came before.
    case hardLink(to: [UInt8])
    /// A device, a pipe and the like: listed, never loaded.
    case other
  }

  /// How the bytes of the member are found again.
  enum Location: Sendable, Hashable, Codable {
    /// They stand as they are at this position of the source.
    case plain(position: Int64)
    /// A zip member: the position of its local header, the compressed size, the method (APPNOTE 4.4.5) and the flags (4.4.4).
    case zip(localHeader: Int64, compressedSize: Int64, method: UInt16, flags: UInt16)
    /// The so manieth header that libarchive gives for the archive, from 0; its header's position, where a reader can begin there.
    case ordinal(Int, headerPosition: Int64?)
    /// There are none: a directory that only the names of others tell of.
    case none
  }

  /// The name as the archive has it, made canonical: no leading or trailing slash, no empty, `.` or `..` segment.
  var path: [UInt8]
  var kind: Kind
  /// The bytes of the member, decoded; nil where only the end tells.
  var size: Int64?
  var modificationDate: Date?
  /// CRC-32 of the decoded bytes, where the directory has it.
  var checksum: UInt32?
  var isEncrypted = false
  var location: Location
}
