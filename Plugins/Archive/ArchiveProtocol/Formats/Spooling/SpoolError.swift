/// A temporary file could not be made, written or read: the disk is full, for example.
struct SpoolError: Error, Hashable, CustomStringConvertible {
  /// As of `errno`.
  let code: Int32
  let description: String
}
