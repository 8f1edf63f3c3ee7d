/// Making tasks.
extension URLSession {
  // MARK: Data

  /// A data task whose body goes to the delegate.
  public func dataTask(with url: URL) -> URLSessionDataTask { dataTask(with: URLRequest(url: url)) }

  /// A data task whose body goes to the delegate.
  public func dataTask(with request: URLRequest) -> URLSessionDataTask {
    made(
      URLSessionDataTask(
        load: load(LoadPlan(request: request, kind: .data, owner: .delegate, upload: UploadSource(of: request)))))
  }

  /// A data task with a completion handler, which is called once, on the delegate queue.
  public func dataTask(
    with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// A data task with a completion handler, which is called once, on the delegate queue.
  public func dataTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDataTask {
    let owner = LoadPlan.Owner.handler { completionHandler($0.data, $1, $2) }
    return made(
      URLSessionDataTask(
        load: load(LoadPlan(request: request, kind: .data, owner: owner, upload: UploadSource(of: request)))))
  }

  // MARK: Upload

  /// A task that uploads bytes, in the place of a body that the request has. Where nobody set the request's method, and the URL's
  /// class stores by `PUT` (as those of `file`, `ftp` and `sftp` do), that is the method; over HTTP it is `GET`.
  public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
    upload(request, .data(bodyData), owner: .delegate)
  }

  /// A task that uploads bytes. Without any it sends the request's own body, or none.
  public func uploadTask(
    with request: URLRequest, from bodyData: Data?,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    upload(
      request, bodyData.map { .data($0) } ?? UploadSource(of: request),
      owner: .handler { completionHandler($0.data, $1, $2) })
  }

  /// A task that uploads a file, which is read as it is sent.
  public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
    upload(request, .file(fileURL), owner: .delegate)
  }

  /// A task that uploads a file, which is read as it is sent.
  public func uploadTask(
    with request: URLRequest, fromFile fileURL: URL,
    completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionUploadTask {
    upload(request, .file(fileURL), owner: .handler { completionHandler($0.data, $1, $2) })
  }

  /// A task that uploads a stream: the request's `httpBodyStream`, else the one that the delegate gives.
  public func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
    upload(request, .stream(request.httpBodyStream), owner: .delegate)
  }

  func upload(_ request: URLRequest, _ source: UploadSource, owner: LoadPlan.Owner) -> URLSessionUploadTask {
    made(URLSessionUploadTask(load: load(LoadPlan(request: request, kind: .upload, owner: owner, upload: source))))
  }

  // MARK: Download

  /// A download task for the delegate.
  public func downloadTask(with url: URL) -> URLSessionDownloadTask { downloadTask(with: URLRequest(url: url)) }

  /// A download task for the delegate.
  public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { download(request, owner: .delegate) }

  /// A download task with a completion handler; the file is removed when the handler returns.
  public func downloadTask(
    with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
  }

  /// A download task with a completion handler; the file is removed when the handler returns.
  public func downloadTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    download(request, owner: .handler { completionHandler($0.file, $1, $2) })
  }

  /// A download task that goes on where an earlier one stopped; from the start when the resource changed since.
  public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
    made(download(resumingWith: resumeData, owner: .delegate))
  }

  /// A download task that goes on where an earlier one stopped; from the start when the resource changed since.
  public func downloadTask(
    withResumeData resumeData: Data, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    made(download(resumingWith: resumeData, owner: .handler { completionHandler($0.file, $1, $2) }))
  }

  func download(_ request: URLRequest, owner: LoadPlan.Owner) -> URLSessionDownloadTask {
    made(
      URLSessionDownloadTask(
        load: load(LoadPlan(request: request, kind: .download, owner: owner, upload: UploadSource(of: request)))))
  }

  func download(resumingWith data: Data, owner: LoadPlan.Owner) -> URLSessionDownloadTask {
    var plan: LoadPlan
    do {
      let resumption = try ResumeData(serialized: data)
      var request = URLRequest(url: resumption.originalURL)
      request.httpMethod = resumption.method
      for field in resumption.headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
      plan = LoadPlan(request: request, kind: .download, owner: owner, resumption: resumption)
    } catch {
      plan = LoadPlan(request: .placeholder, kind: .download, owner: owner)
      plan.flaw = URLError(
        .cannotOpenFile, message: "The resume data cannot be used: \(error).", url: nil, underlying: error)
    }
    return URLSessionDownloadTask(load: load(plan))
  }

  // MARK: Helpers

  func load(_ plan: consuming LoadPlan) -> Load {
    // A request that a protocol class got for a listing may be loaded as something else.
    plan.request.isListing = plan.kind == .listing
    if !acceptsTasks { plan.flaw = invalidity(for: plan.request) }
    return Load(session: self, plan: plan)
  }

  func made<Made: URLSessionTask>(_ task: Made, delegate: (any URLSessionTaskDelegate)? = nil) -> Made {
    if let delegate { task.delegate = delegate }
    (delegate ?? delegates.task)?.urlSession(self, didCreateTask: task)
    return task
  }
}

extension LoadedBody {
  var data: Data? { if case .data(let data) = self { data } else { nil } }
  var file: URL? { if case .file(let url) = self { url } else { nil } }
}
