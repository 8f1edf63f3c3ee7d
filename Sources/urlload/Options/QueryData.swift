import URLLoading
internal import URLLoadingBase

/// Data that goes into the query of a URL: that of `-d` with `-G`, and that of `--url-query`.
enum QueryData {
  /// RFC 3986, section 3.4.
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?".utf8)

  /// The part that an argument of `--url-query` stands for: as that of `--data-urlencode`, or after a plus sign as it is.
  static func part(_ argument: String) -> DataPart {
    argument.hasPrefix("+")
      ? DataPart(kind: .raw, value: String(argument.dropFirst())) : DataPart(kind: .encoded, value: argument)
  }

  /// The URL with data after its query.
  static func adding(_ data: Data, to url: URL) -> URL {
    guard !data.isEmpty, var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
    let safe = String(decoding: encoded([UInt8](data)), as: UTF8.self)
    components.percentEncodedQuery = components.percentEncodedQuery.map { "\($0)&\(safe)" } ?? safe
    return components.url ?? url
  }

  /// What is no part of a query is percent-encoded, and what is encoded already stays.
  private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if plain.contains(byte) || PercentEncoding.escapedByte(in: bytes, at: index) != nil {
        result.append(byte)
      } else {
        PercentEncoding.appendEscape(of: byte, to: &result)
      }
    }
    return result
  }
}
