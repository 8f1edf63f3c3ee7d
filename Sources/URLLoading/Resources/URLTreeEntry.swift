/// One thing in a tree of directories, as ``URLSession/entries(at:recursively:matching:delegate:)`` gives it.
public struct URLTreeEntry: Sendable, Hashable {
  /// What it is, and where.
  public let entry: URLDirectoryEntry

  /// The names that lead to it from the directory that was listed, with slashes between them. See ``URLDirectoryEntry/name``.
  public var path: String { String(decoding: pathBytes, as: UTF8.self) }

  /// The same by the names' bytes.
  public let pathBytes: [UInt8]
}
