/// Why a `data:` URL could not be parsed.
enum DataURLError: Error, Equatable, CustomStringConvertible {
  /// The URL's scheme is not `data`.
  case wrongScheme
  /// No comma ends the media type.
  case missingComma
  /// The body is marked as Base64 and is not.
  case invalidBase64

  var description: String {
    switch self {
    case .wrongScheme: "not a data: URL"
    case .missingComma: "a data: URL needs a comma between media type and data, as in data:text/plain,hello"
    case .invalidBase64: "the data after ;base64, is not valid Base64"
    }
  }
}
