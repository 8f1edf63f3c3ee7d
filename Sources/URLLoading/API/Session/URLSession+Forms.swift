/// Uploads of forms in parts.
extension URLSession {
  /// Uploads a form, and returns the server's answer. The method is the request's; where that was not set, `POST`. The field
  /// `Content-Type` is the form's.
  /// - Throws: the error that the load failed with, also where a file of the form cannot be read or has changed.
  public func upload(
    for request: URLRequest, from form: MultipartFormData, delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> (Data, URLResponse) {
    if isSubclassed {
      return try await handled(delegate) { self.uploadTask(with: request, from: form, completionHandler: $0) }
    }
    let task = upload(Self.request(request, with: form), .form(form), owner: .waiter, delegate: delegate)
    await finish(task)
    return try task.load.takeOutcome().loadedData()
  }

  /// A task that uploads a form, as `upload(for:from:delegate:)` does.
  ///
  /// A subclass of the session gets a call of its `uploadTask(withStreamedRequest:)`: the form is the request's `httpBodyStream`.
  public func uploadTask(with request: URLRequest, from form: MultipartFormData) -> URLSessionUploadTask {
    var request = Self.request(request, with: form)
    guard isSubclassed else { return upload(request, .form(form), owner: .delegate) }
    request.httpBodyStream = MultipartInputStream(standingFor: form)
    return uploadTask(withStreamedRequest: request)
  }

  /// A task that uploads a form, as `upload(for:from:delegate:)` does; the handler is called once, on the delegate queue.
  ///
  /// A subclass of the session gets a call of its `uploadTask(with:from:completionHandler:)` for `Data`, with nil: the form is the
  /// request's `httpBodyStream`.
  @preconcurrency
  public func uploadTask(
    with request: URLRequest, from form: MultipartFormData,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    var request = Self.request(request, with: form)
    guard isSubclassed else {
      return upload(request, .form(form), owner: .handler { completionHandler($0.data, $1, $2) })
    }
    request.httpBodyStream = MultipartInputStream(standingFor: form)
    return uploadTask(with: request, from: nil, completionHandler: completionHandler)
  }

  private static func request(_ given: URLRequest, with form: MultipartFormData) -> URLRequest {
    var request = given
    if request.explicitMethod == nil { request.httpMethod = "POST" }
    request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    return request
  }
}
