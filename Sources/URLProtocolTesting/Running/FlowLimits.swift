/// How much may be on its way.
enum FlowLimits {
  /// What the kit's sessions let wait for a slow consumer, in bytes.
  static let buffer = 1 << 20

  /// What an instance may have given to its client in all, while the consumer takes nothing more: what it took at once, the
  /// buffer, and the pieces that were on their way.
  static let standing = 3 << 20

  /// The longest time, in seconds, that a sender is made to wait for the pause or the stop that was decided and that another
  /// thread is about to tell it.
  static let stopping = 2.0

  /// What may still come after `stopLoading()`, in bytes: it was on its way.
  static let late = 1 << 20

  /// How long a sender that should hold back is watched. One that does not hold back and is slower than this escapes;
  /// one that holds back never fails.
  static let watch = Duration.milliseconds(150)
}
