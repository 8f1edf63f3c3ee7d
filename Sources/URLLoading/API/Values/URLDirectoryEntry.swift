internal import URLLoadingBase

/// One thing in a directory, as ``URLSession/entries(at:delegate:)-(URL,_)`` gives it.
///
/// Unknown properties are nil. An entry's URL is always one level below its directory's: a name that would lead elsewhere makes no
/// entry.
public struct URLDirectoryEntry: Sendable, Hashable {
  /// What an entry is. A symbolic link is not followed.
  @frozen public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Bytes that can be loaded.
    case file
    /// A directory, which can be listed in turn.
    case directory
    /// A link to something else, or to nothing.
    case symbolicLink
    /// A device, a pipe, a socket.
    case other
    /// Not known.
    case unknown
  }

  /// The name, without any slash. Bytes that are no UTF-8 are shown as U+FFFD; ``nameBytes`` has them.
  public let name: String

  /// What the entry is.
  public let kind: Kind

  /// Bytes of a file's content; nil for what is no file.
  public let size: Int64?

  /// When the content was changed last, in the source's precision.
  public let modificationDate: Date?

  /// The name where it is no UTF-8.
  private let rawName: [UInt8]?
  private let directory: URL

  /// Makes an entry of a directory.
  /// - Parameters:
  ///   - name: the name, as it is: not percent-encoded.
  ///   - directory: the URL of the directory; query and fragment are left out of the entry's.
  ///   - kind: what the entry is.
  ///   - size: bytes of its content; a negative number counts as unknown.
  ///   - modificationDate: when its content was changed last.
  /// - Returns: nil when the name is empty, `.` or `..`, or has a slash or a NUL: no entry of a directory has such a name.
  public init?(
    name: String, in directory: URL, kind: Kind, size: Int64? = nil, modificationDate: Date? = nil
  ) {
    self.init(bytes: Array(name.utf8), in: directory, kind: kind, size: size, modificationDate: modificationDate)
  }

  /// Makes an entry whose name is bytes, in whatever encoding. See ``init(name:in:kind:size:modificationDate:)``.
  @inlinable
  public init?(
    nameBytes: some Collection<UInt8>, in directory: URL, kind: Kind, size: Int64? = nil,
    modificationDate: Date? = nil
  ) {
    // Concrete from here on: callers of other modules would run all of it unspecialized.
    self.init(bytes: Array(nameBytes), in: directory, kind: kind, size: size, modificationDate: modificationDate)
  }

  @usableFromInline
  init?(bytes: [UInt8], in directory: URL, kind: Kind, size: Int64?, modificationDate: Date?) {
    guard Self.isUsable(bytes) else { return nil }
    if let name = String(validating: bytes, as: UTF8.self) {
      self.name = name
      rawName = nil
    } else {
      name = String(decoding: bytes, as: UTF8.self)
      rawName = bytes
    }
    self.directory = directory
    self.kind = kind
    self.size = size.flatMap { $0 < 0 ? nil : $0 }
    self.modificationDate = modificationDate
  }

  /// The name's bytes as the source has them.
  public var nameBytes: [UInt8] { rawName ?? Array(name.utf8) }

  /// Where the entry is: its percent-encoded name below the directory's URL, which keeps a user and password that it has.
  /// That of a directory ends in a slash.
  public var url: URL {
    var text = directory.absoluteString
    if let end = text.firstIndex(where: { $0 == "?" || $0 == "#" }) { text.removeSubrange(end...) }
    if !text.hasSuffix("/") { text += "/" }
    text += Self.percentEncoded(nameBytes)
    if kind == .directory { text += "/" }
    // Encoded text behind a URL is a URL; the other branch is never taken.
    return URL(string: text) ?? directory.appending(component: name)
  }

  /// The approximate memory in bytes, for the limit of buffered entries.
  var cost: Int { 128 + name.utf8.count + (rawName?.count ?? 0) }

  private static func isUsable(_ name: [UInt8]) -> Bool {
    guard !name.isEmpty, !name.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else { return false }
    return name.count > 2 || !name.allSatisfy { $0 == UInt8(ascii: ".") }
  }

  /// RFC 3986, section 3.3, but for the semicolon: it begins parameters in the URLs of FTP (RFC 1738, section 3.2.2). And but for
  /// a name that is a tilde: in those of SFTP, a first segment of that kind is the login directory.
  private static func percentEncoded(_ name: [UInt8]) -> String {
    guard name != [UInt8(ascii: "~")] else { return "%7E" }
    var result: [UInt8] = []
    result.reserveCapacity(name.count)
    for byte in name {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        result.append(byte)
      case _ where "-._~!$&'()*+,=:@".utf8.contains(byte): result.append(byte)
      default: PercentEncoding.appendEscape(of: byte, to: &result)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
