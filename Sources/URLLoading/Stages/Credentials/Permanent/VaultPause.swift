internal import URLLoadingBase

/// Whether a service is asked at all: one that did not answer in time is left alone for a while, so that loads do not wait for it again
/// and again.
struct VaultPause {
  static let length = Duration.seconds(30)

  private var end: MonotonicInstant?

  func isOn(at now: MonotonicInstant) -> Bool { end.map { now < $0 } ?? false }

  mutating func begin(at now: MonotonicInstant) { end = now.advanced(by: Self.length) }

  /// The service has answered.
  mutating func stop() { end = nil }
}
