/// The characters (extended grapheme clusters, UAX #29) of an asynchronous sequence of UTF-8 bytes.
///
/// Bytes that are not UTF-8 become U+FFFD. A character is delivered when the scalar after it was read, because that
/// may still belong to it.
public struct AsyncCharacterSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A character.
  public typealias Element = Character
  /// What the base sequence throws.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base

  @usableFromInline
  init(base: Base) {
    self.base = base
  }

  /// Produces the characters one after another.
  @frozen public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline var scalars: AsyncUnicodeScalarSequence<Base>.AsyncIterator
    /// The first scalar of the next character, read to find the end of the one before.
    @usableFromInline var lookahead: UnicodeScalar?

    @usableFromInline
    init(base: Base.AsyncIterator) {
      scalars = .init(base: base)
    }

    /// The next character, or nil at the end.
    ///
    /// - Throws: what the base sequence throws.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> Character? {
      let first: UnicodeScalar
      if let lookahead {
        first = lookahead
        self.lookahead = nil
      } else if let scalar = try await scalars.next(isolation: actor) {
        first = scalar
      } else {
        return nil
      }
      guard let second = try await scalars.next(isolation: actor) else { return Character(first) }
      // Two ASCII scalars are two characters unless they are CR LF (UAX #29, GB3 to GB5 and GB999).
      if first.value < 0x80, second.value < 0x80, first != "\r" {
        lookahead = second
        return Character(first)
      }
      var cluster = GraphemeCluster(first: first)
      var scalar = second
      while cluster.append(scalar) {
        guard let following = try await scalars.next(isolation: actor) else { return cluster.character }
        scalar = following
      }
      lookahead = scalar
      return cluster.character
    }
  }

  /// Starts reading the base sequence.
  @inlinable
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator())
  }
}

extension AsyncCharacterSequence: Sendable where Base: Sendable {}
