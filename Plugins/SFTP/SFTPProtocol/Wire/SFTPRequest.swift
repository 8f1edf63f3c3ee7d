/// What a client asks of a server (draft-ietf-secsh-filexfer-02, section 6; OpenSSH's PROTOCOL file for the extensions).
/// Paths are bytes, since servers promise no encoding.
enum SFTPRequest: Hashable, Sendable {
  struct OpenFlags: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let read = OpenFlags(rawValue: 1)
    static let write = OpenFlags(rawValue: 2)
    static let append = OpenFlags(rawValue: 4)
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
  case setstat([UInt8], FileAttributes)
  case fsetstat(RemoteHandle, FileAttributes)
  case opendir([UInt8])
  case readdir(RemoteHandle)
  case remove([UInt8])
  case mkdir([UInt8], FileAttributes)
  case rmdir([UInt8])
  case realpath([UInt8])
  case stat([UInt8])
  case rename([UInt8], to: [UInt8])
  case readlink([UInt8])
  /// `posix-rename@openssh.com`: replaces what has the new name.
  case posixRename([UInt8], to: [UInt8])
  /// `fsync@openssh.com`
  case fsync(RemoteHandle)
  /// `limits@openssh.com`
  case limits

  /// What the server calls this.
  var type: PacketType {
    switch self {
    case .open: .open
    case .close: .close
    case .read: .read
    case .write: .write
    case .lstat: .lstat
    case .fstat: .fstat
    case .setstat: .setstat
    case .fsetstat: .fsetstat
    case .opendir: .opendir
    case .readdir: .readdir
    case .remove: .remove
    case .mkdir: .mkdir
    case .rmdir: .rmdir
    case .realpath: .realpath
    case .stat: .stat
    case .rename: .rename
    case .readlink: .readlink
    case .posixRename, .fsync, .limits: .extended
    }
  }

  /// What is left of a request when it was sent: the bytes of a write are only the server's from then on.
  var withoutContents: SFTPRequest {
    if case .write(let handle, let offset, _) = self { .write(handle, offset: offset, []) } else { self }
  }

  /// The answer that this request has when it succeeds. Any request may be answered with a status that says why not.
  var replyType: PacketType {
    switch self {
    case .open, .opendir: .handle
    case .read: .data
    case .readdir, .realpath, .readlink: .name
    case .stat, .lstat, .fstat: .attributes
    case .limits: .extendedReply
    case .close, .write, .setstat, .fsetstat, .remove, .mkdir, .rmdir, .rename, .posixRename, .fsync: .status
    }
  }
}
