internal import URLLoadingHTTPSemantics

/// The requests of a resumable upload, made of the one that began it.
enum UploadRequests {
  private static let version = "Upload-Draft-Interop-Version"
  private static let complete = "Upload-Complete"
  private static let length = "Upload-Length"
  private static let offset = "Upload-Offset"

  /// Fields that say that the program itself speaks to the server about uploads: it is left alone.
  private static let foreignFields = [complete, version, offset, length, "Upload-Incomplete", "Tus-Resumable"]

  /// Invites the server to make an upload of a request resumable (section 8.1.1): one that does not know these fields ignores them.
  /// - Parameter length: of the body, in bytes.
  /// - Returns: false where the request is left as it is.
  static func invite(_ request: inout URLRequest, length: Int64?) -> Bool {
    guard ["POST", "PUT", "PATCH"].contains(request.httpMethod ?? "GET"), length != 0,
      !foreignFields.contains(where: { request.value(forHTTPHeaderField: $0) != nil })
    else { return false }
    request.setValue(String(ResumableUpload.interopVersion), forHTTPHeaderField: version)
    request.setValue("?1", forHTTPHeaderField: complete)
    if let length { request.setValue(String(length), forHTTPHeaderField: Self.length) }
    return true
  }

  /// Takes that back.
  static func withdraw(_ request: inout URLRequest) {
    for name in [version, complete, length] { request.setValue(nil, forHTTPHeaderField: name) }
  }

  /// Leads the request that a task was made with to where its upload began: a redirect had led there, or somebody has edited the resume
  /// data. Credentials are good for the origin alone that they were given for (RFC 9110 section 15.4).
  static func lead(_ request: inout URLRequest, to url: URL) {
    if !isSameOrigin(request.url, url) { removeSecrets(of: &request) }
    request.url = url
  }

  /// Asks how much of the body is there (section 4.3).
  static func ask(about resource: URL, as request: URLRequest) -> URLRequest {
    make("HEAD", resource, as: request)
  }

  /// Sends a part (section 4.4); its body is to be added.
  static func append(_ part: ResumableUpload.Part, to resource: URL, as request: URLRequest) -> URLRequest {
    var made = make("PATCH", resource, as: request)
    made.setValue("application/partial-upload", forHTTPHeaderField: "Content-Type")
    made.setValue(String(part.offset), forHTTPHeaderField: offset)
    made.setValue(part.isLast ? "?1" : "?0", forHTTPHeaderField: complete)
    if let length = part.length { made.setValue(String(length), forHTTPHeaderField: "Content-Length") }
    return made
  }

  /// Cancels the upload on the server (section 4.5).
  /// - Returns: nil for a resource of another origin, which a server may have named that has no say there.
  static func cancel(_ resource: URL, as request: URLRequest) -> URLRequest? {
    isSameOrigin(request.url, resource) ? make("DELETE", resource, as: request) : nil
  }

  /// A request like the first one, without its body, range and conditional fields; to another origin, without
  /// credentials.
  private static func make(_ method: String, _ resource: URL, as request: URLRequest) -> URLRequest {
    var made = request
    made.httpBody = nil
    made.httpBodyStream = nil
    made.httpMethod = method
    made.url = resource
    // A cached response would have an old offset.
    made.cachePolicy = .reloadIgnoringLocalCacheData
    if !isSameOrigin(request.url, resource) { removeSecrets(of: &made) }
    for field in request.fields.fields where belongsToFirst(field.name.lowercased()) {
      made.setValue(nil, forHTTPHeaderField: field.name)
    }
    made.setValue(String(ResumableUpload.interopVersion), forHTTPHeaderField: version)
    return made
  }

  private static func isSameOrigin(_ one: URL?, _ other: URL) -> Bool {
    one.map { WebOrigin($0) == WebOrigin(other) } ?? false
  }

  /// Removes the fields that may be credentials: all that resume data does not hold, either.
  private static func removeSecrets(of request: inout URLRequest) {
    for field in request.fields.fields where ResumeData.isSecret(ResumeData.Field(name: field.name, value: field.value))
    {
      request.setValue(nil, forHTTPHeaderField: field.name)
    }
  }

  private static func belongsToFirst(_ name: String) -> Bool {
    name.hasPrefix("content-") || name.hasPrefix("if-") || name.hasPrefix("upload-")
      || ["transfer-encoding", "trailer", "expect", "range", "digest", "repr-digest", "host"].contains(name)
  }
}
