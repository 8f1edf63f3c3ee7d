/// What a server says of a file, or is asked to set (draft-ietf-secsh-filexfer-02, section 5). Nil is what was not said.
struct FileAttributes: Hashable, Sendable {
  /// Kinds of files, by the bits of ``permissions`` that POSIX has for them.
  enum Kind: Hashable, Sendable {
    case regular, directory, symbolicLink, other, unknown
  }

  /// Length in bytes.
  var size: UInt64?
  var userID: UInt32?
  var groupID: UInt32?
  /// The mode of POSIX, kind included.
  var permissions: UInt32?
  /// Seconds since 1970.
  var accessTime: UInt32?
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

  private enum Flag {
    static let size: UInt32 = 1
    static let owner: UInt32 = 2
    static let permissions: UInt32 = 4
    static let times: UInt32 = 8
    static let extended: UInt32 = 0x8000_0000
    static let known = size | owner | permissions | times | extended
  }

  /// User and group, where both were said.
  var owner: Owner? {
    guard let userID, let groupID else { return nil }
    return Owner(userID: userID, groupID: groupID)
  }

  struct Owner: Hashable, Sendable {
    let userID: UInt32
    let groupID: UInt32
  }

  init(owner: Owner) {
    userID = owner.userID
    groupID = owner.groupID
  }

  init(size: UInt64? = nil, permissions: UInt32? = nil, accessTime: UInt32? = nil, modificationTime: UInt32? = nil) {
    self.size = size
    self.permissions = permissions
    self.accessTime = accessTime
    self.modificationTime = modificationTime
  }

  init(from reader: inout PacketReader) throws(WireViolation) {
    let flags = try reader.uint32()
    guard flags & ~Flag.known == 0 else { throw .invalidField("file attributes with unknown flags") }
    if flags & Flag.size != 0 { size = try reader.uint64() }
    if flags & Flag.owner != 0 {
      userID = try reader.uint32()
      groupID = try reader.uint32()
    }
    if flags & Flag.permissions != 0 { permissions = try reader.uint32() }
    if flags & Flag.times != 0 {
      accessTime = try reader.uint32()
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

  /// Bytes that ``encode(into:)`` writes.
  var encodedCount: Int {
    4 + (size == nil ? 0 : 8) + (hasOwner ? 8 : 0) + (permissions == nil ? 0 : 4) + (hasTimes ? 8 : 0)
  }

  func encode(into buffer: OutgoingBuffer) {
    var flags: UInt32 = 0
    if size != nil { flags |= Flag.size }
    if hasOwner { flags |= Flag.owner }
    if permissions != nil { flags |= Flag.permissions }
    if hasTimes { flags |= Flag.times }
    buffer.append(flags)
    if let size { buffer.append(size) }
    if hasOwner {
      buffer.append(userID ?? 0)
      buffer.append(groupID ?? 0)
    }
    if let permissions { buffer.append(permissions) }
    if hasTimes {
      buffer.append(accessTime ?? 0)
      buffer.append(modificationTime ?? 0)
    }
  }

  /// The fields come in pairs: half a pair cannot be set.
  private var hasOwner: Bool { userID != nil && groupID != nil }
  private var hasTimes: Bool { accessTime != nil && modificationTime != nil }
}
