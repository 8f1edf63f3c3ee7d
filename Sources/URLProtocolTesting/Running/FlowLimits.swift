/// How much may be on its way.
enum FlowLimits {
  /// What the kit's sessions let wait for a slow consumer, in bytes.
  static let buffer = 1 << 20

  /// What an instance may have given to its client in all, while the consumer has taken nothing: the buffer, and the pieces
  /// that were on their way.
  static let standing = 2 << 20

  /// What may still come after `stopLoading()`, in bytes: it was on its way.
  static let late = 1 << 20

  /// How long a sender that should hold back is watched. One that does not hold back and is slower than this escapes;
  /// one that holds back never fails.
  static let watch = Duration.milliseconds(150)
}
