/// The lines of an asynchronous sequence of UTF-8 bytes, without their line ends.
///
/// A line ends at LF, VT, FF, CR, CR LF, NEL (U+0085), LINE SEPARATOR (U+2028) or PARAGRAPH SEPARATOR (U+2029), or at
/// the end of the bytes. **Empty lines are skipped**, as Apple's `AsyncLineSequence` does; a format that gives empty
/// lines a meaning, such as server-sent events, has to read bytes. Bytes that are not UTF-8 become U+FFFD.
///
/// A line is delivered as soon as the first byte of its line end was read. An error of the base sequence is passed on
/// and the unfinished line dropped.
public struct AsyncLineSequence<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// A line.
  public typealias Element = String
  /// What the base sequence throws.
  public typealias Failure = Base.Failure

  @usableFromInline let base: Base

  @usableFromInline
  init(base: Base) {
    self.base = base
  }

  /// Produces the lines one after another.
  @frozen public struct AsyncIterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline var line: [UInt8] = []

    @usableFromInline
    init(base: Base.AsyncIterator) {
      self.base = base
    }

    /// The next line that is not empty, or nil at the end.
    ///
    /// - Throws: what the base sequence throws.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Base.Failure) -> String? {
      line.removeAll(keepingCapacity: true)
      while let byte = try await base.next(isolation: actor) {
        if byte > 0x0D, byte < 0x85 {
          line.append(byte)
          continue
        }
        if endsLine(byte), !line.isEmpty { return String(decoding: line, as: UTF8.self) }
      }
      if line.isEmpty { return nil }
      defer { line.removeAll() }
      return String(decoding: line, as: UTF8.self)
    }

    /// Takes a byte that may end the line; one that does not is appended to it.
    ///
    /// The line ends beyond ASCII are found by their last byte: C2 and E2 are lead bytes in UTF-8 and never anything
    /// else, so that looking back is exact in text that is not valid as well.
    @usableFromInline
    mutating func endsLine(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x0A...0x0D:
        // An empty line is never delivered, so that the LF of a CR LF needs no more than to be one.
        return true
      case 0x85 where line.last == 0xC2:
        line.removeLast()
        return true
      case 0xA8 where line.endsWithSeparatorPrefix, 0xA9 where line.endsWithSeparatorPrefix:
        line.removeLast(2)
        return true
      default:
        line.append(byte)
        return false
      }
    }
  }

  /// Starts reading the base sequence.
  @inlinable
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator())
  }
}

extension AsyncLineSequence: Sendable where Base: Sendable {}

extension [UInt8] {
  /// Whether the last two bytes are those that U+2028 and U+2029 begin with.
  fileprivate var endsWithSeparatorPrefix: Bool {
    count >= 2 && self[count - 1] == 0x80 && self[count - 2] == 0xE2
  }
}
