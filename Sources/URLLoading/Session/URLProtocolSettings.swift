/// What a protocol class goes by in all loads of a session, kept in the session's configuration.
///
/// ```swift
/// public struct TapeSettings: URLProtocolSettings {
///   public var drive = "/dev/st0"
///   public init() {}
/// }
///
/// extension URLSessionConfiguration {
///   public var tape: TapeSettings {
///     get { self[TapeSettings.self] }
///     set { self[TapeSettings.self] = newValue }
///   }
/// }
/// ```
///
/// Programs set `configuration.tape.drive` before they make the session. The class reads `session.configuration.tape`, and a
/// ``URLSessionComponent`` gets the configuration when it is made.
///
/// A background session's loads are another process's: settings reach it where their type is `Codable`, as JSON of at most 256 KiB for all
/// types together. Those of other types have their defaults there.
public protocol URLProtocolSettings: Sendable {
  /// Makes the defaults.
  init()
}
