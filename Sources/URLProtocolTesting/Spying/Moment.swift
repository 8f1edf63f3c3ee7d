/// Something that an instance just reported, with what it has reported in all.
enum Moment: Sendable {
  case response
  /// Bytes of the body so far.
  case data(Int)
  /// Bytes of the upload so far.
  case sent(Int)
  case finished
}
