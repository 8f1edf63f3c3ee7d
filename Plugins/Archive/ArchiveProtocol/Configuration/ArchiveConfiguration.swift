import Foundation

/// What a session's loads of archive members go by: which formats are read, what they may cost, and where bytes are kept meanwhile.
/// Programs set it as `URLSessionConfiguration.archive`.
///
/// The limits keep malicious archives from filling memory or disks, and from running forever. Their defaults let real archives
/// pass. An error about one of them names its property.
public struct ArchiveConfiguration: Sendable, Hashable {
  /// Formats that are read only when asked for: they are rare, or the code that reads them is.
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

  /// The formats that are read besides the ordinary ones. None by default.
  public var optionalFormats: Set<OptionalFormat> = []

  /// The decoded bytes that one byte of an archive may become, counted for each member, or for a compressed archive as a
  /// whole; above ``freelyExpandedBytes`` only. 500 by default: data that people keep stays below it, while deflate reaches
  /// 1,032 with a file that is nothing but one byte repeated.
  public var maximumExpansionRatio: Int64 = 500

  /// The decoded bytes for which no ratio counts. 256 MiB by default.
  public var freelyExpandedBytes: Int64 = 256 << 20

  /// The decoded bytes of one member. 1 TiB by default.
  public var maximumMemberSize: Int64 = 1 << 40

  /// The members of one archive. 2,000,000 by default.
  public var maximumMembers = 2_000_000

  /// The bytes of an archive's own directory, as it is read into memory. 256 MiB by default.
  public var maximumIndexBytes: Int64 = 256 << 20

  /// How many archives may be inside one another. 4 by default.
  public var maximumNestingDepth = 4

  /// The decoded bytes of one archive that may wait in a temporary file, for formats that cannot be read at any place. 16 GiB
  /// by default.
  public var maximumSpooledBytes: Int64 = 16 << 30

  /// The directory in which indexes of archives are kept, so that the next start of the program need not read them again; made
  /// for its owner alone where it is missing. Nil, the default, keeps indexes in memory only.
  public var indexDirectory: URL?

  /// The directory of temporary files, which have no name and are gone with the process. The system's by default.
  public var temporaryDirectory: URL = FileManager.default.temporaryDirectory

  /// The defaults.
  public init() {}
}
