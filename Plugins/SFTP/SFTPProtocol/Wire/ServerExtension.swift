/// OpenSSH's extensions that this client knows (its PROTOCOL file, section 4).
enum ServerExtension: String, Hashable, Sendable, CaseIterable {
  case posixRename = "posix-rename@openssh.com"
  case limits = "limits@openssh.com"
  /// draft-ietf-secsh-filexfer-extensions-00, section 7.
  case copyData = "copy-data"
  /// Not requested: only OpenSSH's own server announces it.
  case expandPath = "expand-path@openssh.com"

  /// The version of each that this client speaks; a server may announce others beside it.
  static let supportedVersion = Array("1".utf8)

  var bytes: [UInt8] { Array(rawValue.utf8) }
}

/// A server's answer to `limits@openssh.com`; 0 is no limit.
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
