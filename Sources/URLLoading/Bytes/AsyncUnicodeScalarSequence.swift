/// The Unicode scalars of an asynchronous sequence of UTF-8 bytes.
///
/// Each maximal part of a sequence that is not valid becomes one U+FFFD, as in `String(decoding:as:)` and the WHATWG
/// Encoding Standard's UTF-8 decoder.
public struct AsyncUnicodeScalarSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A scalar.
  public typealias Element = UnicodeScalar
  /// What the base sequence throws.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base

  @usableFromInline
  init(base: Base) {
    self.base = base
  }

  /// Produces the scalars one after another.
  @frozen public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator
    /// A byte that broke off a sequence and starts the next one.
    @usableFromInline var leftover: UInt8?

    @usableFromInline
    init(base: Base.AsyncIterator) {
      self.base = base
    }

    /// The next scalar, or nil at the end.
    ///
    /// - Throws: what the base sequence throws.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> UnicodeScalar? {
      let first: UInt8
      if let leftover {
        first = leftover
        self.leftover = nil
      } else if let byte = try await base.next(isolation: actor) {
        first = byte
      } else {
        return nil
      }
      if first < 0x80 { return UnicodeScalar(first) }
      guard var sequence = UTF8Sequence(leadByte: first) else { return "\u{FFFD}" }
      while sequence.missing > 0 {
        guard let byte = try await base.next(isolation: actor) else { return "\u{FFFD}" }
        guard sequence.append(byte) else {
          leftover = byte
          return "\u{FFFD}"
        }
      }
      return UnicodeScalar(sequence.value) ?? "\u{FFFD}"
    }
  }

  /// Starts reading the base sequence.
  @inlinable
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator())
  }
}

extension AsyncUnicodeScalarSequence: Sendable where Base: Sendable {}
