/// What an archive may cost. ``ArchiveConfiguration`` explains each, and has the defaults.
struct ArchiveLimits: Sendable, Hashable {
  var maximumExpansionRatio: Int64
  var freelyExpandedBytes: Int64
  var maximumMemberSize: Int64
  var maximumMembers: Int
  var maximumIndexBytes: Int64

  /// The defaults.
  static let standard = ArchiveConfiguration().limits

  /// Checks the number of members, before memory is taken for them.
  func check(members: UInt64) throws(ArchiveError) {
    if members > UInt64(max(maximumMembers, 0)) {
      throw .limitExceeded(what: "the number of members", limit: Int64(maximumMembers), property: "maximumMembers")
    }
  }

  /// Checks the size of the archive's directory, before memory is taken for it.
  func check(indexBytes: Int64) throws(ArchiveError) {
    if indexBytes > maximumIndexBytes {
      throw .limitExceeded(
        what: "the bytes of the archive's directory", limit: maximumIndexBytes, property: "maximumIndexBytes")
    }
  }

  /// Checks what a member says of itself, or what was decoded so far.
  func check(memberSize: Int64, compressedSize: Int64) throws(ArchiveError) {
    if memberSize > maximumMemberSize {
      throw .limitExceeded(what: "the bytes of a member", limit: maximumMemberSize, property: "maximumMemberSize")
    }
    let (allowed, isHuge) = max(compressedSize, 1).multipliedReportingOverflow(by: max(maximumExpansionRatio, 1))
    if memberSize > freelyExpandedBytes, !isHuge, memberSize > allowed {
      throw .limitExceeded(
        what: "the ratio of a member's bytes to its packed bytes", limit: maximumExpansionRatio,
        property: "maximumExpansionRatio")
    }
  }
}
