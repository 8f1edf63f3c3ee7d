/// Where a zip's central directory is.
struct ZipDirectory: Equatable {
  /// The position of its bytes in the source.
  var range: Range<Int64>
  /// The number of members, by the end record.
  var members: UInt64
  /// Whether ``members`` is the whole number. Without zip64 it can be its low 16 bits.
  var hasWholeCount: Bool
  /// Added to the positions in the directory: the bytes in front of the archive, such as the program of a self-extracting one.
  var shift: Int64
}
