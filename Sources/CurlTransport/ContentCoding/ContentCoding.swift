internal import URLLoadingBase

/// A content coding that can be decoded, by its name in IANA's registry.
enum ContentCoding: String, CaseIterable {
  case gzip, deflate
  case brotli = "br"
  case zstd

  /// More than one is rare, and each costs memory (libcurl has the same limit).
  private static let maximumCount = 5

  /// The codings that were applied to a body, in that order, from the values of its Content-Encoding fields
  /// (RFC 9110 section 8.4). Those that change nothing are left out.
  static func list(_ fieldValues: [String]) throws(ContentDecodingError) -> [ContentCoding] {
    var codings: [ContentCoding] = []
    for value in fieldValues {
      for item in value.split(separator: ",") {
        let name = item.trimmingFieldWhitespace.lowercased()
        switch name {
        case "", "identity", "none": continue
        // RFC 9110 section 8.4.1.3 wants both names to mean the same.
        case "x-gzip": codings.append(.gzip)
        default:
          guard let coding = ContentCoding(rawValue: name) else {
            throw .malformed(
              "the body has the unknown content coding \(String(name.prefix(40)).debugDescription); "
                + "known are \(supportedContentCodings)")
          }
          codings.append(coding)
        }
        guard codings.count <= maximumCount else {
          throw .malformed("the body has more than \(maximumCount) content codings")
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
