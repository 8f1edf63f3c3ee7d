/// What an archive may cost, so that one made to do harm cannot fill memory or disk.
struct FormatLimits: Sendable, Hashable {
  /// Members of one archive.
  var maximumMemberCount = 1_000_000
  /// Bytes of names and link targets, with a fixed share for each member.
  var maximumIndexBytes: Int64 = 512 << 20
  /// Decoded bytes that one archive keeps in temporary files.
  var maximumSpooledBytes: Int64 = 64 << 30
  /// Decoded bytes for each packed one, from ``ratioFloor`` on.
  var maximumRatio: Int64 = 10_000
  /// Decoded bytes that are never too many for their packed ones.
  var ratioFloor: Int64 = 64 << 20

  /// Fails when `decoded` bytes came from fewer bytes than ``maximumRatio`` allows.
  func checkRatio(decoded: Int64, packed: Int64) throws {
    guard decoded > ratioFloor, decoded / maximumRatio > max(packed, 1) else { return }
    throw ArchiveError.limitExceeded(
      what: "decoded bytes for each packed one", limit: maximumRatio, property: "maximumRatio")
  }
}
