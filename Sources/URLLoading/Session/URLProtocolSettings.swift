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
///
/// That process finds the type by its module and name. So the type is `public` or `internal`, and in no function: the names of `private`,
/// `fileprivate` and local types are different in each program, and their settings are not sent. Equal settings need equal JSON, since a
/// session whose settings have changed is made anew: a `Set`, whose order is another one in each process, is encoded sorted. A `Decodable` type
/// with defaults for what is missing understands programs of other versions; what cannot be read has the defaults as a whole.
public protocol URLProtocolSettings: Sendable {
  /// Makes the defaults.
  init()
}
