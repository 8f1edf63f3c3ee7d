import Foundation
internal import URLLoadingBase

/// What programs decide about archives: which formats are read, what they may cost, and where bytes are kept meanwhile.
///
/// The limits keep archives that were made to do harm from filling memory or disks, and from running forever. Their defaults
/// let real archives pass. An error about one of them names its property.
public struct ArchiveConfiguration: Sendable, Hashable {
  /// Formats that are read only when asked for: they are rare, or the code that reads them is.
  public enum OptionalFormat: String, Sendable, Hashable, CaseIterable {
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

  /// The directory that indexes of archives are kept in, so that the next start of the program need not read them again. Nil,
  /// which is the default, keeps them in memory only. Where it is not there it is made, for its owner alone.
  public var indexDirectory: URL?

  /// The directory of temporary files. They have no name there, and are gone with the process. The system's by default.
  public var temporaryDirectory: URL = FileManager.default.temporaryDirectory

  /// The defaults.
  public init() {}

  /// The configuration of the process. Guarded by its lock.
  static let current = Locked(ArchiveConfiguration())
}

extension ArchiveConfiguration {
  /// What readers of archives need of it.
  var limits: ArchiveLimits {
    ArchiveLimits(
      maximumExpansionRatio: maximumExpansionRatio, freelyExpandedBytes: freelyExpandedBytes,
      maximumMemberSize: maximumMemberSize, maximumMembers: maximumMembers, maximumIndexBytes: maximumIndexBytes)
  }
}
