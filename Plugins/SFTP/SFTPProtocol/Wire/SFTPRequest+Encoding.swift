extension SFTPRequest {
  /// Bytes of the packet after its length.
  var encodedCount: Int {
    let fields =
      switch self {
      case .open(let path, _, let attributes): 4 + path.count + 4 + attributes.encodedCount
      case .close(let handle), .fstat(let handle), .readdir(let handle): 4 + handle.bytes.count
      case .read(let handle, _, _): 4 + handle.bytes.count + 12
      case .write(let handle, _, let bytes): 4 + handle.bytes.count + 12 + bytes.count
      case .setstat(let path, let attributes), .mkdir(let path, let attributes):
        4 + path.count + attributes.encodedCount
      case .fsetstat(let handle, let attributes): 4 + handle.bytes.count + attributes.encodedCount
      case .lstat(let path), .stat(let path), .opendir(let path), .remove(let path), .rmdir(let path),
        .realpath(let path), .readlink(let path):
        4 + path.count
      case .rename(let old, let new): 8 + old.count + new.count
      case .posixRename(let old, let new):
        4 + ServerExtension.posixRename.rawValue.utf8.count + 8 + old.count + new.count
      case .fsync(let handle): 4 + ServerExtension.fsync.rawValue.utf8.count + 4 + handle.bytes.count
      case .limits: 4 + ServerExtension.limits.rawValue.utf8.count
      }
    return 5 + fields
  }

  /// Writes the packet, its length in front.
  func encode(identifier: UInt32, into buffer: OutgoingBuffer) {
    buffer.append(UInt32(clamping: encodedCount))
    buffer.append(type.rawValue)
    buffer.append(identifier)
    switch self {
    case .open(let path, let flags, let attributes):
      buffer.append(string: path)
      buffer.append(flags.rawValue)
      attributes.encode(into: buffer)
    case .close(let handle), .fstat(let handle), .readdir(let handle):
      buffer.append(string: handle.bytes)
    case .read(let handle, let offset, let count):
      buffer.append(string: handle.bytes)
      buffer.append(offset)
      buffer.append(count)
    case .write(let handle, let offset, let bytes):
      buffer.append(string: handle.bytes)
      buffer.append(offset)
      buffer.append(string: bytes)
    case .setstat(let path, let attributes), .mkdir(let path, let attributes):
      buffer.append(string: path)
      attributes.encode(into: buffer)
    case .fsetstat(let handle, let attributes):
      buffer.append(string: handle.bytes)
      attributes.encode(into: buffer)
    case .lstat(let path), .stat(let path), .opendir(let path), .remove(let path), .rmdir(let path),
      .realpath(let path), .readlink(let path):
      buffer.append(string: path)
    case .rename(let old, let new):
      buffer.append(string: old)
      buffer.append(string: new)
    case .posixRename(let old, let new):
      buffer.append(string: ServerExtension.posixRename.rawValue.utf8)
      buffer.append(string: old)
      buffer.append(string: new)
    case .fsync(let handle):
      buffer.append(string: ServerExtension.fsync.rawValue.utf8)
      buffer.append(string: handle.bytes)
    case .limits:
      buffer.append(string: ServerExtension.limits.rawValue.utf8)
    }
  }

  /// Writes the packet that opens the conversation, its length in front.
  static func encodeInitialize(into buffer: OutgoingBuffer) {
    buffer.append(UInt32(5))
    buffer.append(PacketType.initialize.rawValue)
    buffer.append(RequestTable<Void>.protocolVersion)
  }
}
