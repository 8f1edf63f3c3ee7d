internal import URLLoadingBase

/// A content coding that can be decoded, by its name in IANA's registry.
package enum ContentCoding: String, CaseIterable {
  case gzip, deflate
  case brotli = "br"
  case zstd

  /// More than one is rare, and each costs memory (libcurl has the same limit).
  private static let maximumCount = 5

  /// The codings to undo, in the order in which they were applied, from the values of a body's Content-Encoding fields (RFC 9110 section
  /// 8.4). Those that change nothing are left out. Where one is unknown there are none: the bytes stay as they came, as the Fetch standard
  /// has it (stores for objects keep names such as `aws-chunked` that say nothing about the bytes that they send).
  static func list(_ fieldValues: [String]) throws(ContentDecodingError) -> [ContentCoding] {
    let codings = known(fieldValues)
    guard codings.count <= maximumCount else {
      throw .malformed("the body has more than \(maximumCount) content codings")
    }
    return codings
  }

  /// Whether a body with these Content-Encoding fields is decoded, or would be if it could.
  package static func areDecoded(_ fieldValues: [String]) -> Bool { !known(fieldValues).isEmpty }

  private static func known(_ fieldValues: [String]) -> [ContentCoding] {
    var codings: [ContentCoding] = []
    for value in fieldValues {
      for item in value.split(separator: ",") {
        let name = item.trimmingFieldWhitespace.lowercased()
        switch name {
        case "", "identity", "none": continue
        // RFC 9110 section 8.4.1.3 wants both names to mean the same.
        case "x-gzip": codings.append(.gzip)
        default:
          guard let coding = ContentCoding(rawValue: name) else { return [] }
          codings.append(coding)
        }
      }
    }
    return codings
  }

  func makeDecoder() throws(ContentDecodingError) -> any ContentDecoder {
    switch self {
    case .gzip: return ZlibDecoder(.gzip)
    case .deflate: return ZlibDecoder(.deflate)
    case .brotli: return try BrotliDecoder()
    case .zstd: return try ZstdDecoder()
    }
  }
}

/// The content codings that can be decoded, in the form of an Accept-Encoding field (RFC 9110 section 12.5.3).
package let supportedContentCodings = "gzip, deflate, br, zstd"
