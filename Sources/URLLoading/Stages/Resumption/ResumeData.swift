internal import URLLoadingHTTPSemantics

/// What a download needs to continue where it stopped.
///
/// It is stored as a binary property list, with the private keys of Apple's format, which apps read although they are
/// not documented, and a dictionary of our own, `URLLoadingResume`, which has a version and is what we read first.
///
/// What is stored: both URLs, the method, header fields, counts, validators, and the path of the partial file. What is not:
/// header fields that may be credentials (``isSecret(_:)``) and users and passwords in URLs, also in URLs inside of URLs.
/// The names of these fields are stored, and a random key under which this process finds their values (``ResumeSecrets``).
/// The query of a URL is part of what it names, and stored as it is.
struct ResumeData: Equatable, Sendable {
  /// The URL that answered, after redirects.
  var url: URL
  /// The URL that the task was made with.
  var originalURL: URL
  var method = "GET"
  /// The request's header fields, in order. They may hold credentials; ``serialized(_:)`` does not store these.
  var headers: [Field] = []
  /// The number of body bytes in the file at `localPath`.
  var bytesReceived: Int64
  /// The number of bytes of the whole resource, or -1 if that is not known.
  var expectedTotalLength: Int64 = -1
  /// The raw value of the response's ETag.
  var entityTag: String?
  /// The raw value of the response's Last-Modified.
  var lastModified: String?
  /// The absolute path of the file with what was received.
  var localPath: String
  /// What else the request had set.
  var options = RequestOptions.byDefault
  /// The names of header fields that the download had, and that this process does not know.
  var missingFields: [String] = []
  /// Whether the original URL had a user or a password that this process does not know.
  var missesUser = false

  struct Field: Equatable, Sendable {
    /// As it was set.
    var name: String
    var value: String
  }

  /// Names of fields, in lower case, that carry credentials by their definition.
  static let credentialFields: Set<String> = ["authorization", "proxy-authorization", "cookie", "cookie2"]

  /// Whether a field is not stored: its name says that it is a credential, or it holds a URL with a user.
  static func isSecret(_ field: Field) -> Bool {
    SecretFields.contains(field.name) || URLSecrets.cleared(field.value, .removeUser) != field.value
  }
}
