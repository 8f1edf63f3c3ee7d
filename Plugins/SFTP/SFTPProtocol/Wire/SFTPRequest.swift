/// A request to a server (draft-ietf-secsh-filexfer-02, section 6; OpenSSH's PROTOCOL file for the extensions). Paths are bytes: version
/// 3 defines no encoding.
enum SFTPRequest: Hashable, Sendable {
  struct OpenFlags: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let read = OpenFlags(rawValue: 1)
    static let write = OpenFlags(rawValue: 2)
    static let create = OpenFlags(rawValue: 8)
    static let truncate = OpenFlags(rawValue: 16)
    /// With `create`: fails where there is such a file.
    static let exclusive = OpenFlags(rawValue: 32)
  }

  case open([UInt8], OpenFlags, FileAttributes)
  case close(RemoteHandle)
  case read(RemoteHandle, offset: UInt64, count: UInt32)
  case write(RemoteHandle, offset: UInt64, ArraySlice<UInt8>)
  case lstat([UInt8])
  case fstat(RemoteHandle)
  case fsetstat(RemoteHandle, FileAttributes)
  case opendir([UInt8])
  case readdir(RemoteHandle)
  case remove([UInt8])
  case realpath([UInt8])
  case stat([UInt8])
  case rename([UInt8], to: [UInt8])
  case readlink([UInt8])
  /// `posix-rename@openssh.com`: replaces a file that has the new name.
  case posixRename([UInt8], to: [UInt8])
  /// `limits@openssh.com`
  case limits

  var type: PacketType {
    switch self {
    case .open: .open
    case .close: .close
    case .read: .read
    case .write: .write
    case .lstat: .lstat
    case .fstat: .fstat
    case .fsetstat: .fsetstat
    case .opendir: .opendir
    case .readdir: .readdir
    case .remove: .remove
    case .realpath: .realpath
    case .stat: .stat
    case .rename: .rename
    case .readlink: .readlink
    case .posixRename, .limits: .extended
    }
  }

  /// The request without the bytes of a write, which are not needed any more once it was sent.
  var withoutContents: SFTPRequest {
    if case .write(let handle, let offset, _) = self { .write(handle, offset: offset, []) } else { self }
  }

  /// The reply to this request if it succeeds. A status replies to any request that fails.
  var replyType: PacketType {
    switch self {
    case .open, .opendir: .handle
    case .read: .data
    case .readdir, .realpath, .readlink: .name
    case .stat, .lstat, .fstat: .attributes
    case .limits: .extendedReply
    case .close, .write, .fsetstat, .remove, .rename, .posixRename: .status
    }
  }

  // MARK: Encoding

  private enum Field {
    case string(ArraySlice<UInt8>)
    case uint32(UInt32)
    case uint64(UInt64)
    case attributes(FileAttributes)

    var count: Int {
      switch self {
      case .string(let bytes): 4 + bytes.count
      case .uint32: 4
      case .uint64: 8
      case .attributes(let attributes): attributes.encodedCount
      }
    }
  }

  /// What follows the identifier.
  private var fields: [Field] {
    switch self {
    case .open(let path, let flags, let attributes):
      [.string(path[...]), .uint32(flags.rawValue), .attributes(attributes)]
    case .close(let handle), .fstat(let handle), .readdir(let handle): [.string(handle.bytes[...])]
    case .read(let handle, let offset, let count): [.string(handle.bytes[...]), .uint64(offset), .uint32(count)]
    case .write(let handle, let offset, let bytes): [.string(handle.bytes[...]), .uint64(offset), .string(bytes)]
    case .fsetstat(let handle, let attributes): [.string(handle.bytes[...]), .attributes(attributes)]
    case .lstat(let path), .stat(let path), .opendir(let path), .remove(let path), .realpath(let path),
      .readlink(let path):
      [.string(path[...])]
    case .rename(let old, let new): [.string(old[...]), .string(new[...])]
    case .posixRename(let old, let new):
      [.string(ServerExtension.posixRename.bytes[...]), .string(old[...]), .string(new[...])]
    case .limits: [.string(ServerExtension.limits.bytes[...])]
    }
  }

  /// Bytes of the packet after its length.
  var encodedCount: Int { fields.reduce(5) { $0 + $1.count } }

  /// Appends the packet, its length in front.
  func encode(identifier: UInt32, into queue: SendQueue) {
    let fields = fields
    queue.append(UInt32(clamping: fields.reduce(5) { $0 + $1.count }))
    queue.append(type.rawValue)
    queue.append(identifier)
    for field in fields {
      switch field {
      case .string(let bytes): queue.append(string: bytes)
      case .uint32(let number): queue.append(number)
      case .uint64(let number): queue.append(number)
      case .attributes(let attributes): attributes.encode(into: queue)
      }
    }
  }

  /// Appends the packet that opens the conversation, its length in front.
  static func encodeInitialize(into queue: SendQueue) {
    queue.append(UInt32(5))
    queue.append(PacketType.initialize.rawValue)
    queue.append(RequestTable<Void>.protocolVersion)
  }
}
