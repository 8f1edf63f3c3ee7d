/// The limits, checked before memory or disk is taken. Each error names the property.
extension ArchiveConfiguration {
  func check(members: UInt64) throws(ArchiveError) {
    if members > UInt64(max(maximumMembers, 0)) {
      throw .limitExceeded(what: "the number of members", limit: Int64(maximumMembers), property: "maximumMembers")
    }
  }

  /// - Parameter indexBytes: the size of the archive's directory.
  func check(indexBytes: Int64) throws(ArchiveError) {
    if indexBytes > maximumIndexBytes {
      throw .limitExceeded(
        what: "the bytes of the archive's directory", limit: maximumIndexBytes, property: "maximumIndexBytes")
    }
  }

  /// - Parameters:
  ///   - memberSize: what the archive says of a member.
  ///   - compressedSize: the bytes that the member has in the archive.
  func check(memberSize: Int64, compressedSize: Int64) throws(ArchiveError) {
    try check(memberSize: memberSize)
    try checkRatio(decoded: memberSize, packed: compressedSize)
  }

  /// - Parameter memberSize: what the archive says of a member; nil where it says nothing.
  func check(memberSize: Int64?) throws(ArchiveError) {
    if let memberSize, memberSize > maximumMemberSize {
      throw .limitExceeded(what: "the bytes of a member", limit: maximumMemberSize, property: "maximumMemberSize")
    }
  }

  func checkRatio(decoded: Int64, packed: Int64) throws(ArchiveError) {
    let (allowed, isHuge) = max(packed, 1).multipliedReportingOverflow(by: max(maximumExpansionRatio, 1))
    if decoded > freelyExpandedBytes, !isHuge, decoded > allowed {
      throw .limitExceeded(
        what: "the ratio of decoded bytes to packed bytes", limit: maximumExpansionRatio,
        property: "maximumExpansionRatio")
    }
  }

  /// Whether members of archives of this format may be read.
  func allows(_ format: ArchiveFormat) -> Bool {
    OptionalFormat(rawValue: format.rawValue).map(optionalFormats.contains) ?? true
  }
}
