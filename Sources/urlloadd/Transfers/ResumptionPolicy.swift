/// When what a download needs to be resumed is stored.
///
/// Resume data costs more than the whole rest of a small download, and a service that is killed meanwhile loses less than that by
/// beginning anew.
enum ResumptionPolicy {
  /// In bytes: what a kill may lose.
  static let smallBody: Int64 = 1 << 20
  /// What a kill may lose of a server's or a slow network's time.
  static let shortTime = Duration.seconds(2)

  /// Whether a download that has come so far is resumed after a kill.
  /// - Parameters:
  ///   - expected: the length of the body in bytes, -1 where it is not known.
  ///   - received: how many of them are there.
  ///   - age: the time since the transfer began.
  static func pays(expected: Int64, received: Int64, age: Duration) -> Bool {
    expected < 0 || expected > smallBody || received > smallBody || age >= shortTime
  }
}
