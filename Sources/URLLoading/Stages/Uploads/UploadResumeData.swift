/// What an upload needs to continue where it stopped.
///
/// It is stored as a binary property list with a dictionary of ours, `URLLoadingUploadResume`, which has a version. What it holds: the
/// URLs, the method, header fields, counts, and where the body is: the path of a file and what tells its version, or the bytes that were in
/// memory. What it does not: header fields that may be credentials and users and passwords in URLs, as with downloads (``ResumeData``).
struct UploadResumeData: Sendable {
  /// The URL of the request that began the upload, after redirects.
  var url: URL
  /// The URL that the task was made with.
  var originalURL: URL
  var method: String
  /// The request's header fields, in order.
  var headers: [ResumeData.Field]
  var options = RequestOptions.byDefault
  /// The upload's own resource.
  var resource: URL
  /// Of the whole body; nil where nobody knows.
  var length: Int64?
  /// Bytes that the server has said to have.
  var acknowledged: Int64
  /// When the server forgets the upload.
  var expiry: Date?
  var body: UploadBody
  /// The names of header fields that the upload had, and that this process does not know.
  var missingFields: [String] = []
  /// Whether the original URL had a user or a password that this process does not know.
  var missesUser = false

  /// A description of the missing values; nil if none are missing.
  var missing: String? { ResumeSecrets.missing(fields: missingFields, user: missesUser) }

  /// The request of a task that continues.
  var request: URLRequest {
    var request = URLRequest(url: originalURL)
    request.httpMethod = method
    request.options = options
    for field in headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
    return request
  }
}

extension UploadResumeData {
  /// The resume data of an upload; nil where there is no resource to resume.
  /// - Parameters:
  ///   - original: the request of the task.
  ///   - earlier: what that task was made with, if it continued another.
  init?(_ uploading: UploadLoad, original: URLRequest, earlier: UploadResumeData?) {
    guard let resource = uploading.machine.resource, let url = uploading.request.url else { return nil }
    let headers = original.allHTTPHeaderFields ?? [:]
    self.init(
      url: url, originalURL: original.url ?? url, method: original.httpMethod ?? "POST",
      headers: headers.sorted { $0.key < $1.key }.map { ResumeData.Field(name: $0.key, value: $0.value) },
      options: original.options, resource: resource, length: uploading.length,
      acknowledged: uploading.machine.acknowledged, expiry: uploading.machine.expiry, body: uploading.body,
      missingFields: earlier?.missingFields ?? [], missesUser: earlier?.missesUser ?? false)
  }
}
