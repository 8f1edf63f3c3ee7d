import Foundation

/// The settings for archive members in a session: formats, resource limits, and directories. Set it as
/// `URLSessionConfiguration.archive`.
///
/// The limits keep malicious archives from filling memory or disks, and from running forever. Their defaults let real archives
/// pass. An error about one of them names its property.
public struct ArchiveConfiguration: Sendable, Hashable {
  /// Formats that are off by default: they, or their parsers, are rarely used.
  @frozen public enum OptionalFormat: String, Sendable, Hashable, CaseIterable {
    /// Microsoft cabinets.
    case cab
    /// LHA and LZH archives.
    case lha
    /// RAR archives up to version 4.
    case rar
    /// RAR archives of version 5.
    case rar5
    /// XAR archives.
    case xar
    /// Web archives, ISO 28500.
    case warc
  }

  /// The formats to read besides the default ones. None by default.
  public var optionalFormats: Set<OptionalFormat> = []

  /// The maximum ratio of decoded to compressed bytes, of each member, or of a compressed archive as a whole; applies
  /// above ``freelyExpandedBytes`` only. 500 by default: real data stays below it, while deflate reaches 1,032 for one
  /// repeated byte (archive bombs).
  public var maximumExpansionRatio: Int64 = 500

  /// The decoded bytes to which the ratio does not apply. 256 MiB by default.
  public var freelyExpandedBytes: Int64 = 256 << 20

  /// The decoded bytes of one member. 1 TiB by default.
  public var maximumMemberSize: Int64 = 1 << 40

  /// The members of one archive. 2,000,000 by default.
  public var maximumMembers = 2_000_000

  /// The bytes of an archive's own directory, as it is read into memory. 256 MiB by default.
  public var maximumIndexBytes: Int64 = 256 << 20

  /// The maximum nesting depth of archives. 4 by default.
  public var maximumNestingDepth = 4

  /// The decoded bytes of one archive in a temporary file, for formats without random access. 16 GiB by default.
  public var maximumSpooledBytes: Int64 = 16 << 30

  /// The directory for cached indexes of archives, so that a restarted program need not read them again; created with
  /// mode 0700 if it is missing. Nil, the default, keeps indexes in memory only.
  public var indexDirectory: URL?

  /// The directory of temporary files, which are unnamed and vanish with the process. The system's by default.
  public var temporaryDirectory: URL = FileManager.default.temporaryDirectory

  /// The defaults.
  public init() {}
}
