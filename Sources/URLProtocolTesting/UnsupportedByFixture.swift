/// A check asked a fixture for something that it does not implement.
public struct UnsupportedByFixture: Error, Sendable, CustomStringConvertible {
  /// The fixture's type.
  public let fixture: String

  /// The member to implement.
  public let member: String

  /// What is missing, and why it is needed.
  public var description: String {
    "\(fixture) does not implement \(member), which a check needs that its abilities or its class's capabilities ask for."
  }
}
