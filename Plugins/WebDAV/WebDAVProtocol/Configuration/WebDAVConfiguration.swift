import URLLoading

/// The settings for WebDAV servers in a session. Set it as `URLSessionConfiguration.webDAV`.
///
/// The limits keep a malicious server from going on forever. An error about one of them names its property.
public struct WebDAVConfiguration: URLProtocolSettings, Hashable, Codable {
  /// The entries of one listing. 2,000,000 by default.
  public var maximumEntries = 2_000_000

  /// The defaults.
  public init() {}

  private enum CodingKeys: String, CodingKey {
    case maximumEntries
  }

  /// Decodes the present keys; missing ones have their defaults, since the transfer service may be of another version.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    maximumEntries = try values.decodeIfPresent(Int.self, forKey: .maximumEntries) ?? maximumEntries
  }

  /// Encodes all properties; equal values encode equally.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(maximumEntries, forKey: .maximumEntries)
  }
}
