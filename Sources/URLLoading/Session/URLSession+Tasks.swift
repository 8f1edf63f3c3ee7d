/// How the session's methods make tasks.
extension URLSession {
  func data(_ request: URLRequest, owner: LoadPlan.Owner) -> URLSessionDataTask {
    made(
      URLSessionDataTask(
        load: load(LoadPlan(request: request, kind: .data, owner: owner, upload: UploadSource(of: request)))))
  }

  func upload(_ request: URLRequest, _ source: UploadSource, owner: LoadPlan.Owner) -> URLSessionUploadTask {
    made(URLSessionUploadTask(load: load(LoadPlan(request: request, kind: .upload, owner: owner, upload: source))))
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

  func load(_ plan: consuming LoadPlan) -> Load {
    // A request that a protocol class got for a listing may be loaded as something else.
    if !acceptsTasks { plan.flaw = invalidity(for: plan.request) }
    return Load(session: self, plan: plan)
  }

  func made<Made: URLSessionTask>(_ task: Made, delegate: (any URLSessionTaskDelegate)? = nil) -> Made {
    if let delegate { task.delegate = delegate }
    switch task.load.plan.owner {
    case .delegate, .handler: taskRegistry.add(task, retains: true)
    case .reader: taskRegistry.add(task, retains: false)
    // Resumed at once, and retained by the registry from then on.
    case .waiter, .nobody: break
    }
    let delegates = delegates
    (delegate.map { delegates.overridden(by: $0) } ?? delegates).task?.tell(.created) {
      $0.urlSession(self, didCreateTask: task)
    }
    return task
  }
}

extension LoadedBody {
  var data: Data? { if case .data(let data) = self { data } else { nil } }
  var file: URL? { if case .file(let url) = self { url } else { nil } }
}
