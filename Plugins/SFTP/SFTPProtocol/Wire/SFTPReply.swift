/// A server's packet, except replies to reads, which `PacketAssembler` passes on in pieces.
enum SFTPReply: Hashable, Sendable {
  case version(UInt32, extensions: Set<ServerExtension>)
  case status(identifier: UInt32, ServerStatus)
  case handle(identifier: UInt32, RemoteHandle)
  case names(identifier: UInt32, [RemoteName])
  case attributes(identifier: UInt32, FileAttributes)
  case limits(identifier: UInt32, ServerLimits)

  /// Reads a packet, from its type to its end.
  init(_ packet: UnsafeRawBufferPointer) throws(WireViolation) {
    var reader = PacketReader(packet)
    let type = try reader.uint8()
    switch PacketType(rawValue: type) {
    case .version:
      self = .version(try reader.uint32(), extensions: try Self.extensions(&reader))
    case .status:
      self = .status(identifier: try reader.uint32(), try ServerStatus(from: &reader))
      // The language, or nothing.
      return
    case .handle:
      let identifier = try reader.uint32()
      let bytes = try reader.string()
      guard bytes.count <= RemoteHandle.largestCount else { throw .invalidField("a handle of \(bytes.count) bytes") }
      self = .handle(identifier: identifier, RemoteHandle(bytes: Array(bytes)))
    case .name:
      self = .names(identifier: try reader.uint32(), try Self.names(&reader))
    case .attributes:
      self = .attributes(identifier: try reader.uint32(), try FileAttributes(from: &reader))
    case .extendedReply:
      self = .limits(identifier: try reader.uint32(), try ServerLimits(from: &reader))
    default:
      throw .unexpectedPacket(type)
    }
    try reader.end()
  }

  private static func names(_ reader: inout PacketReader) throws(WireViolation) -> [RemoteName] {
    let count = try reader.uint32()
    var names: [RemoteName] = []
    // An entry has at least twelve bytes: the count cannot reserve more than was received.
    names.reserveCapacity(min(Int(count), reader.remainingCount / 12))
    for _ in 0..<count {
      let name = Array(try reader.string())
      _ = try reader.string()
      names.append(RemoteName(bytes: name, attributes: try FileAttributes(from: &reader)))
    }
    return names
  }

  private static func extensions(_ reader: inout PacketReader) throws(WireViolation) -> Set<ServerExtension> {
    var extensions: Set<ServerExtension> = []
    while reader.remainingCount > 0 {
      let name = String(decoding: try reader.string(), as: UTF8.self)
      let version = try reader.string()
      if let known = ServerExtension(rawValue: name), version.elementsEqual(ServerExtension.supportedVersion) {
        extensions.insert(known)
      }
    }
    return extensions
  }
}
