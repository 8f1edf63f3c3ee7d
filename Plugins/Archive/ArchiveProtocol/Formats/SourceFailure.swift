/// Wraps an error of a ``ByteSource`` on its way through a decoder, so that it is not taken for damage: the same bytes may be
/// there for the next reader.
struct SourceFailure: Error {
  let underlying: any Error

  /// What the outside is to see of `error`.
  static func unwrap(_ error: any Error) -> any Error {
    (error as? SourceFailure)?.underlying ?? error
  }
}
