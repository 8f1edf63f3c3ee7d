/// Where a zip's central directory is.
struct ZipDirectory: Equatable {
  /// The position of its bytes in the source.
  var range: Range<Int64>
  /// How many members it tells of.
  var members: UInt64
  /// Whether ``members`` is all of the number. Without zip64 it can be just the low 16 bits of it.
  var hasWholeCount: Bool
  /// What is to be added to the positions that the directory has: the bytes that somebody put in front of the archive, such as
  /// the program of a self-extracting one.
  var shift: Int64
}
