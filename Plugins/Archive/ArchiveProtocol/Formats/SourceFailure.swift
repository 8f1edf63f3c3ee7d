/// Wraps an error of a ``ByteSource`` on its way through a decoder, to tell it from damage: the next reader may get the bytes.
struct SourceFailure: Error {
  let underlying: any Error

  /// The error of the source, where `error` is one.
  static func unwrap(_ error: any Error) -> any Error {
    (error as? SourceFailure)?.underlying ?? error
  }

  /// Runs `body`; what it throws is unwrapped.
  static func unwrapping<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw unwrap(error) }
  }
}
