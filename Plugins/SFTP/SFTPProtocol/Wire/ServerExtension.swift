/// OpenSSH's extensions that are made use of (its PROTOCOL file, section 4), and what a server says that it has.
enum ServerExtension: String, Hashable, Sendable, CaseIterable {
  case posixRename = "posix-rename@openssh.com"
  case fsync = "fsync@openssh.com"
  case limits = "limits@openssh.com"
  /// Not asked for: it tells OpenSSH's own server from others that have taken over the rest.
  case expandPath = "expand-path@openssh.com"

  /// Version 1 of each is what is understood; a server may announce others beside it.
  static let supportedVersion = Array("1".utf8)
}

/// What a server told in its answer to `limits@openssh.com`; 0 means that it sets none.
struct ServerLimits: Hashable, Sendable {
  var packetLength: UInt64
  var readLength: UInt64
  var writeLength: UInt64
  var openHandles: UInt64
}

extension ServerLimits {
  init(from reader: inout PacketReader) throws(WireViolation) {
    packetLength = try reader.uint64()
    readLength = try reader.uint64()
    writeLength = try reader.uint64()
    openHandles = try reader.uint64()
  }
}
