/// Uploads of forms in parts.
extension URLSession {
  /// Uploads a form, and returns the server's answer. The method is the request's; where that was not set, `POST`. The field
  /// `Content-Type` is the form's.
  /// - Throws: the error that the load failed with, also where a file of the form cannot be read or has changed.
  public func upload(
    for request: URLRequest, from form: MultipartFormData, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    let task = upload(Self.request(request, with: form), .form(form), owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedData()
  }

  /// A task that uploads a form, as `upload(for:from:delegate:)` does.
  public func uploadTask(with request: URLRequest, from form: MultipartFormData) -> URLSessionUploadTask {
    upload(Self.request(request, with: form), .form(form), owner: .delegate)
  }

  /// A task that uploads a form, as `upload(for:from:delegate:)` does; the handler is called once, on the delegate queue.
  @preconcurrency
  public func uploadTask(
    with request: URLRequest, from form: MultipartFormData,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    upload(
      Self.request(request, with: form), .form(form), owner: .handler { completionHandler($0.data, $1, $2) })
  }

  private static func request(_ given: URLRequest, with form: MultipartFormData) -> URLRequest {
    var request = given
    if request.explicitMethod == nil { request.httpMethod = "POST" }
    request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    return request
  }
}
