extension AsyncSequence where Element == UInt8 {
  /// The bytes' lines as UTF-8 text; empty lines are skipped. See ``AsyncLineSequence``.
  @inlinable public var lines: AsyncLineSequence<Self> { AsyncLineSequence(base: self) }

  /// The bytes' characters as UTF-8 text. See ``AsyncCharacterSequence``.
  @inlinable public var characters: AsyncCharacterSequence<Self> { AsyncCharacterSequence(base: self) }

  /// The bytes' Unicode scalars as UTF-8 text. See ``AsyncUnicodeScalarSequence``.
  @inlinable public var unicodeScalars: AsyncUnicodeScalarSequence<Self> { AsyncUnicodeScalarSequence(base: self) }
}

/// The same, where the documentation of the type and Apple's lists of its members have them.
extension URLSession.AsyncBytes {
  /// The bytes' lines as UTF-8 text; empty lines are skipped. See ``AsyncLineSequence``.
  @inlinable public var lines: AsyncLineSequence<Self> { AsyncLineSequence(base: self) }

  /// The bytes' characters as UTF-8 text. See ``AsyncCharacterSequence``.
  @inlinable public var characters: AsyncCharacterSequence<Self> { AsyncCharacterSequence(base: self) }

  /// The bytes' Unicode scalars as UTF-8 text. See ``AsyncUnicodeScalarSequence``.
  @inlinable public var unicodeScalars: AsyncUnicodeScalarSequence<Self> { AsyncUnicodeScalarSequence(base: self) }
}
