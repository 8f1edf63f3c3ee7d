/// What a fixture can do beyond placing resources. Checks that need more are left out.
public struct FixtureAbilities: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int

  /// Makes a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// ``URLProtocolFixture/replace(_:with:)`` is implemented: resources can change.
  public static let replacing = FixtureAbilities(rawValue: 1 << 0)

  /// ``URLProtocolFixture/missing()`` is implemented: there are URLs where nothing is.
  public static let missing = FixtureAbilities(rawValue: 1 << 1)

  /// ``URLProtocolFixture/directory(of:named:)`` is implemented: there are directories to list.
  public static let directories = FixtureAbilities(rawValue: 1 << 2)

  /// ``URLProtocolFixture/protected(_:named:)`` is implemented: there are resources that want a login.
  public static let challenges = FixtureAbilities(rawValue: 1 << 3)

  /// ``URLProtocolFixture/redirect(to:named:)`` is implemented: there are URLs that lead to others.
  public static let redirects = FixtureAbilities(rawValue: 1 << 4)
}
