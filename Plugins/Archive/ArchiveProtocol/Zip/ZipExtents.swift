/// The bytes of each member, to find out whether any are shared.
///
/// Members that share bytes expand a small archive to petabytes, however low the ratio of each; no tool writes them. The lengths of a
/// local header's name and extra fields are not known here, so an extent is the least that the member takes.
struct ZipExtents {
  /// A local header without its name and extra fields (APPNOTE 4.3.7).
  static let localHeaderSize: Int64 = 30

  private var extents: ContiguousArray<Range<Int64>> = []
  private var isSorted = true

  mutating func reserve(_ count: Int) { extents.reserveCapacity(count) }

  /// - Returns: false, and nothing is added, where the member ends after the limit.
  mutating func append(_ localHeader: Int64, compressedSize: Int64, limit: Int64) -> Bool {
    let (dataStart, firstOverflow) = localHeader.addingReportingOverflow(Self.localHeaderSize)
    let (end, secondOverflow) = dataStart.addingReportingOverflow(compressedSize)
    guard !firstOverflow, !secondOverflow, compressedSize >= 0, end <= limit else { return false }
    if let last = extents.last, localHeader < last.upperBound { isSorted = false }
    extents.append(localHeader..<end)
    return true
  }

  mutating func checkOverlaps() throws(ArchiveError) {
    guard !isSorted else { return }
    extents.sort { $0.lowerBound < $1.lowerBound }
    var last: Range<Int64>?
    for extent in extents {
      if let last, extent.lowerBound < last.upperBound {
        throw .damaged(
          "members share bytes: one takes \(last.lowerBound) to \(last.upperBound), another begins at \(extent.lowerBound)"
        )
      }
      last = extent
    }
  }
}
