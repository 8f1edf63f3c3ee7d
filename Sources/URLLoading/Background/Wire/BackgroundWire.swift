/// What both sides of the socket have to agree on.
package enum BackgroundWire {
  /// The version of the protocol; <doc:Architecture> has what it says.
  package static let version = 3
  /// The first one whose service loads tasks by the environment of their program.
  static let versionWithEnvironment = 2
  /// The first one whose service has connections begin where the session says.
  static let versionWithLocalEnds = 3
}
