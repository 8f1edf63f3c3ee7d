/// An extended grapheme cluster that is being read scalar by scalar.
///
/// The standard library's recogniser takes constant time for each scalar; asking a growing `String` where its first
/// character ends would make a long run of combining marks quadratic.
@usableFromInline
struct GraphemeCluster {
  private var scalars = String.UnicodeScalarView()
  private var recognizer = Unicode._CharacterRecognizer()

  /// Starts a cluster.
  @usableFromInline
  init(first: UnicodeScalar) {
    scalars.append(first)
    _ = recognizer.hasBreak(before: first)
  }

  /// Adds a scalar; false when it starts the next cluster.
  @usableFromInline
  mutating func append(_ scalar: UnicodeScalar) -> Bool {
    guard !recognizer.hasBreak(before: scalar) else { return false }
    scalars.append(scalar)
    return true
  }

  /// The cluster. `first` rather than `Character(String)`, which traps should the two ever disagree.
  @usableFromInline var character: Character { String(scalars).first ?? "\u{FFFD}" }
}
