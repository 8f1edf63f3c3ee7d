import URLLoading

/// The body of a `PROPFIND` (RFC 4918, section 9.1), and what else belongs to one.
enum PropertyQuestion {
  /// How far a question reaches.
  enum Depth: String {
    /// The resource.
    case resource = "0"
    /// What is in the directory, too.
    case members = "1"
    /// All that is below it.
    case everything = "infinity"
  }

  /// For listings.
  static let listing = body(["resourcetype", "getcontentlength", "getlastmodified"])
  /// For what is asked about one resource.
  static let resource = body(["resourcetype", "getcontentlength", "getlastmodified", "getetag", "getcontenttype"])

  private static func body(_ properties: [String]) -> Data {
    let elements = properties.map { "<\($0)/>" }.joined()
    return Data(
      #"<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop>\#(elements)</prop></propfind>"#.utf8)
  }

  /// The fields of a request that are about its own body or what it does, and none of a question's.
  private static let others = [
    "Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If", "Destination",
    "Overwrite", "Content-Length", "Content-Encoding", "Content-Range", "Content-Disposition", "Digest",
    "Content-Digest",
    "Repr-Digest", "Expect", "Accept", "Accept-Encoding",
  ]

  /// Makes a question of a request.
  static func ask(_ body: Data, _ depth: Depth, by request: inout URLRequest) {
    for field in others { request.setValue(nil, forHTTPHeaderField: field) }
    request.httpMethod = "PROPFIND"
    request.setValue(depth.rawValue, forHTTPHeaderField: "Depth")
    request.setValue("application/xml; charset=utf-8", forHTTPHeaderField: "Content-Type")
    request.httpBody = body
  }
}
