/// Attributes of a file, as a server reports or is asked to set them (draft-ietf-secsh-filexfer-02, section 5). Nil is what is absent.
struct FileAttributes: Hashable, Sendable {
  /// Kinds of files, by POSIX's bits in ``permissions``.
  enum Kind: Hashable, Sendable {
    case regular, directory, symbolicLink, other, unknown
  }

  struct Owner: Hashable, Sendable {
    let userID: UInt32
    let groupID: UInt32
  }

  /// Length in bytes.
  var size: UInt64?
  var owner: Owner?
  /// POSIX's mode, kind included.
  var permissions: UInt32?
  /// Seconds since 1970.
  var modificationTime: UInt32?

  var kind: Kind {
    switch permissions.map({ $0 & 0o170000 }) {
    case nil, 0: .unknown
    case 0o100000: .regular
    case 0o040000: .directory
    case 0o120000: .symbolicLink
    default: .other
    }
  }
}

extension FileAttributes {
  private enum Flag {
    static let size: UInt32 = 1
    static let owner: UInt32 = 2
    static let permissions: UInt32 = 4
    static let times: UInt32 = 8
    static let extended: UInt32 = 0x8000_0000
    static let known = size | owner | permissions | times | extended
  }

  init(from reader: inout PacketReader) throws(WireViolation) {
    let flags = try reader.uint32()
    guard flags & ~Flag.known == 0 else { throw .invalidField("file attributes with unknown flags") }
    if flags & Flag.size != 0 { size = try reader.uint64() }
    if flags & Flag.owner != 0 { owner = Owner(userID: try reader.uint32(), groupID: try reader.uint32()) }
    if flags & Flag.permissions != 0 { permissions = try reader.uint32() }
    if flags & Flag.times != 0 {
      _ = try reader.uint32()
      modificationTime = try reader.uint32()
    }
    if flags & Flag.extended != 0 {
      // A count that is too large runs into the packet's end.
      for _ in 0..<(try reader.uint32()) {
        _ = try reader.string()
        _ = try reader.string()
      }
    }
  }

  /// The fields of a request that sets them. The size is never set; the time of the last use goes with that of the last change.
  var fields: [SFTPRequest.Field] {
    let flags =
      (owner == nil ? 0 : Flag.owner) | (permissions == nil ? 0 : Flag.permissions)
      | (modificationTime == nil ? 0 : Flag.times)
    var fields: [SFTPRequest.Field] = [.uint32(flags)]
    if let owner { fields += [.uint32(owner.userID), .uint32(owner.groupID)] }
    if let permissions { fields.append(.uint32(permissions)) }
    if let modificationTime { fields += [.uint32(modificationTime), .uint32(modificationTime)] }
    return fields
  }
}
