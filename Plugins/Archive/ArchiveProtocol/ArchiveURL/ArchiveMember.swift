import Foundation

/// What an archive URL names: a member, and the archive that it is in.
public struct ArchiveMember: Hashable, Sendable {
  /// The archive's own URL. That of a nested archive is an archive URL again.
  public var archive: URL

  /// The member's name, byte for byte as the URL has it, without the slash in front. Empty for the top directory.
  public var pathBytes: [UInt8]

  /// Makes a member from its parts.
  public init(archive: URL, pathBytes: [UInt8]) {
    self.archive = archive
    self.pathBytes = pathBytes
  }

  /// The name as text, or nil where its bytes are not UTF-8.
  public var path: String? { String(validating: pathBytes, as: UTF8.self) }

  /// Whether the URL names a directory: the root, or a name that ends with a slash.
  public var isDirectory: Bool { pathBytes.isEmpty || pathBytes.last == UInt8(ascii: "/") }
}
