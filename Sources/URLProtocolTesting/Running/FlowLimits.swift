/// Limits of the checks of back-pressure.
enum FlowLimits {
  /// The buffer of the kit's sessions, in bytes.
  static let buffer = 1 << 20

  /// Bytes that an instance may give to its client while the consumer takes none: what it took before, the buffer, and pieces in
  /// flight.
  static let standing = 3 << 20

  /// How long a sender is blocked, in seconds, until another thread carries out a stop that was decided.
  static let stopping = 2.0

  /// Bytes in flight that may still come after `stopLoading()`.
  static let afterStop = 1 << 20

  /// How long a sender that should pause is watched. One that does not pause and is slower than this is not found; one that pauses
  /// never fails.
  static let watch = Duration.milliseconds(150)
}
