/// A request to a server (draft-ietf-secsh-filexfer-02, section 6; OpenSSH's PROTOCOL file for the extensions).
struct SFTPRequest: Hashable, Sendable {
  struct OpenFlags: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let read = OpenFlags(rawValue: 1)
    static let write = OpenFlags(rawValue: 2)
    static let create = OpenFlags(rawValue: 8)
    static let truncate = OpenFlags(rawValue: 16)
    /// With `create`: fails where there is such a file.
    static let exclusive = OpenFlags(rawValue: 32)
  }

  enum Field: Hashable, Sendable {
    case string(ArraySlice<UInt8>)
    case uint32(UInt32)
    case uint64(UInt64)

    fileprivate var count: Int {
      switch self {
      case .string(let bytes): 4 + bytes.count
      case .uint32: 4
      case .uint64: 8
      }
    }
  }

  static let protocolVersion: UInt32 = 3

  let type: PacketType
  /// The reply to this request if it succeeds. A status replies to any request that fails.
  let replyType: PacketType
  /// What follows the identifier.
  var fields: [Field]

  /// Bytes of the packet after its length.
  var encodedCount: Int { fields.reduce(5) { $0 + $1.count } }

  /// Appends the packet, its length in front.
  func encode(identifier: UInt32, into queue: SendQueue) {
    queue.append(UInt32(clamping: encodedCount))
    queue.append(type.rawValue)
    queue.append(identifier)
    for field in fields {
      switch field {
      case .string(let bytes): queue.append(string: bytes)
      case .uint32(let number): queue.append(number)
      case .uint64(let number): queue.append(number)
      }
    }
  }

  /// Appends the packet that opens the conversation, its length in front.
  static func encodeInitialize(into queue: SendQueue) {
    queue.append(UInt32(5))
    queue.append(PacketType.initialize.rawValue)
    queue.append(protocolVersion)
  }
}
