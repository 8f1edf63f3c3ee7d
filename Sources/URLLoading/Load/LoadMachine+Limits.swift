internal import URLLoadingBase

extension LoadMachine {
  /// What limits a load.
  struct Limits: Sendable {
    /// In nanoseconds: each load makes a machine, and each event asks for them.
    var idleNanoseconds: Int64?
    var resourceNanoseconds: Int64?
    /// The most bytes that are buffered for a slow consumer before the protocol is paused.
    var bufferedBytes: Int
    /// Redirects that are followed (RFC 9110, section 15.4 asks for a limit).
    var redirects: Int

    init(idle: Duration? = nil, resource: Duration? = nil, bufferedBytes: Int = 1 << 20, redirects: Int = 16) {
      idleNanoseconds = idle?.wholeNanoseconds
      resourceNanoseconds = resource?.wholeNanoseconds
      self.bufferedBytes = bufferedBytes
      self.redirects = redirects
    }

    /// The longest time without any progress of the running attempt; nil for none.
    var idle: Duration? {
      get { idleNanoseconds.map { .nanoseconds($0) } }
      set { idleNanoseconds = newValue?.wholeNanoseconds }
    }

    /// The longest time from the first resume to the end; nil for none.
    var resource: Duration? { resourceNanoseconds.map { .nanoseconds($0) } }
  }

  /// Whether `instant` is before the end of an idle timeout that begins now.
  func isEarlyEnough(_ instant: MonotonicInstant, now: MonotonicInstant) -> Bool {
    limits.idleNanoseconds.map { instant <= now.advanced(byNanoseconds: $0) } ?? false
  }
}
