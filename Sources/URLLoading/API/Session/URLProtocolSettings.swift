/// Settings of a protocol class for all loads of a session, stored in the session's configuration.
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
///
/// That process finds the type by its module and name. So the type must be `public` or `internal`, and not local: the
/// names of `private`, `fileprivate` and local types differ between programs, and their settings are not sent. Equal
/// settings must encode to equal JSON, since the service recreates a session whose settings have changed: sort a `Set`,
/// whose order differs between processes. Give a `Decodable` type defaults for missing keys, to read settings of other
/// versions; settings that cannot be decoded are replaced by the defaults.
public protocol URLProtocolSettings: Sendable {
  /// Makes the defaults.
  init()
}
