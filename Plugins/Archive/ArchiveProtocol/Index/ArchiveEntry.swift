import Foundation

/// What an archive's directory says about one member.
struct ArchiveEntry: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case file
    case directory
    /// The target as the archive has it: relative to the member's own directory, or absolute.
    case symbolicLink(target: [UInt8])
    /// Another name of a member that came before.
    case hardLink(to: [UInt8])
    /// Listed, never loaded.
    case other(Special)
  }

  /// What is neither a file nor a directory nor a link, and has no content. The numbers are those of an index on disk.
  enum Special: UInt8, Sendable, Hashable {
    case unknown, fifo, characterDevice, blockDevice, socket

    /// By the type in a Unix mode.
    init(mode: UInt32) {
      switch mode & UInt32(S_IFMT) {
      case UInt32(S_IFIFO): self = .fifo
      case UInt32(S_IFCHR): self = .characterDevice
      case UInt32(S_IFBLK): self = .blockDevice
      case UInt32(S_IFSOCK): self = .socket
      default: self = .unknown
      }
    }

    /// For messages.
    var words: String {
      switch self {
      case .unknown: "of a kind that is no file"
      case .fifo: "a FIFO"
      case .characterDevice: "a character device"
      case .blockDevice: "a block device"
      case .socket: "a socket"
      }
    }
  }

  /// How the bytes of the member are found again.
  enum Location: Sendable, Hashable {
    /// They stand as they are at this position of the source.
    case plain(position: Int64)
    /// A zip member: the position of its local header, the compressed size, the method (APPNOTE 4.4.5) and the flags (4.4.4).
    case zip(localHeader: Int64, compressedSize: Int64, method: UInt16, flags: UInt16)
    /// The number of its header among those that libarchive gives, from 0; the header's position, where a reader can begin there.
    case ordinal(Int, headerPosition: Int64?)
    /// There are none: a directory that is only part of other names.
    case none
  }

  /// The name as the archive has it, made canonical: no leading or trailing slash, no empty, `.` or `..` segment.
  var path: [UInt8]
  var kind: Kind
  /// The bytes of the member, decoded; nil where that is known at the end only.
  var size: Int64?
  var modificationDate: Date?
  /// CRC-32 of the decoded bytes, where the directory has it.
  var checksum: UInt32?
  var isEncrypted = false
  var location: Location
}
