import Foundation

/// What a download needs to continue where it stopped.
///
/// It is stored as a binary property list, with the private keys of Apple's format, which apps read although they are
/// not documented, and a dictionary of our own, `URLLoadingResume`, which has a version and is what we read first.
/// Credentials are never stored: the fields that carry them and user and password in URLs are dropped.
struct ResumeData: Equatable, Sendable {
  /// The URL that answered, after redirects.
  var url: URL
  /// The URL that the task was made with.
  var originalURL: URL
  /// The request's method.
  var method: String
  /// The request's header fields, in order.
  var headers: [Field]
  /// The number of body bytes in the file at `localPath`.
  var bytesReceived: Int64
  /// The number of bytes of the whole resource, or -1 if that is not known.
  var expectedTotalLength: Int64
  /// The raw value of the response's ETag.
  var entityTag: String?
  /// The raw value of the response's Last-Modified.
  var lastModified: String?
  /// The absolute path of the file with what was received.
  var localPath: String

  /// A header field.
  struct Field: Equatable, Sendable {
    /// The field's name as it was set.
    var name: String
    /// The field's value.
    var value: String
  }

  /// Creates resume data; credentials among the header fields and in the URLs are dropped.
  init(
    url: URL, originalURL: URL, method: String = "GET", headers: [Field] = [], bytesReceived: Int64,
    expectedTotalLength: Int64 = -1, entityTag: String? = nil, lastModified: String? = nil, localPath: String
  ) {
    self.url = Self.removingCredentials(url)
    self.originalURL = Self.removingCredentials(originalURL)
    self.method = method
    self.headers = headers.filter { !Self.credentialFields.contains($0.name.lowercased()) }
    self.bytesReceived = bytesReceived
    self.expectedTotalLength = expectedTotalLength
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.localPath = localPath
  }

  /// Names of fields, in lower case, that are never stored.
  static let credentialFields: Set<String> = ["authorization", "proxy-authorization", "cookie", "cookie2"]

  /// The URL without user and password.
  static func removingCredentials(_ url: URL) -> URL {
    guard url.user != nil || url.password != nil,
      var components = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true)
    else { return url }
    components.user = nil
    components.password = nil
    return components.url ?? url
  }
}
