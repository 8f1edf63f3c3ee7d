/// How the session's methods make tasks. None of these is `async`: the frames of such functions take memory while a load is awaited.
extension URLSession {
  func data(
    _ request: URLRequest, owner: LoadPlan.Owner, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDataTask {
    data(LoadPlan(request: request, kind: .data, owner: owner, upload: UploadSource(of: request)), delegate: delegate)
  }

  func data(_ plan: consuming LoadPlan, delegate: (any URLSessionTaskDelegate)? = nil) -> URLSessionDataTask {
    made(URLSessionDataTask(load: load(plan)), delegate: delegate)
  }

  func upload(
    _ request: URLRequest, _ source: UploadSource, owner: LoadPlan.Owner,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionUploadTask {
    upload(LoadPlan(request: request, kind: .upload, owner: owner, upload: source), delegate: delegate)
  }

  func upload(_ plan: consuming LoadPlan, delegate: (any URLSessionTaskDelegate)? = nil) -> URLSessionUploadTask {
    made(URLSessionUploadTask(load: load(plan)), delegate: delegate)
  }

  func download(
    _ request: URLRequest, owner: LoadPlan.Owner, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDownloadTask {
    let plan = LoadPlan(request: request, kind: .download, owner: owner, upload: UploadSource(of: request))
    return made(URLSessionDownloadTask(load: load(plan)), delegate: delegate)
  }

  func download(
    resumingWith data: Data, owner: LoadPlan.Owner, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDownloadTask {
    var plan: LoadPlan
    do {
      let resumption = try ResumeData(serialized: data)
      var request = URLRequest(url: resumption.originalURL)
      request.httpMethod = resumption.method
      request.options = resumption.options
      for field in resumption.headers { request.addValue(field.value, forHTTPHeaderField: field.name) }
      plan = LoadPlan(request: request, kind: .download, owner: owner, resumption: resumption)
    } catch {
      plan = LoadPlan(request: .placeholder, kind: .download, owner: owner)
      plan.immediateError = URLError(
        .cannotOpenFile, message: "The resume data cannot be used: \(error).", url: nil, underlying: error)
    }
    return made(URLSessionDownloadTask(load: load(plan)), delegate: delegate)
  }

  func upload(
    resumingWith data: Data, owner: LoadPlan.Owner, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionUploadTask {
    var plan: LoadPlan
    do {
      let resumption = try UploadResumeData(serialized: data)
      plan = LoadPlan(request: resumption.request, kind: .upload, owner: owner, upload: resumption.body.source)
      plan.uploadResumption = resumption
    } catch {
      plan = LoadPlan(request: .placeholder, kind: .upload, owner: owner)
      plan.immediateError = URLError(
        .cannotOpenFile, message: "The resume data cannot be used: \(error).", url: nil, underlying: error)
    }
    return made(URLSessionUploadTask(load: load(plan)), delegate: delegate)
  }

  func webSocket(_ request: URLRequest, protocols: [String] = []) -> URLSessionWebSocketTask {
    var request = request
    request.httpBody = nil
    request.httpBodyStream = nil
    let channel = WebSocketChannel(
      protocols: protocols, offersCompression: parts.configuration.webSocket.compressesMessages,
      limit: values.maximumBufferedBytesPerTask, url: request.url)
    var plan = LoadPlan(request: request, kind: .webSocket, owner: .delegate)
    let offered = request.value(forHTTPHeaderField: WebSocketSubprotocols.field).map(WebSocketSubprotocols.members)
    if let reason = WebSocketSubprotocols.invalidReason(in: protocols.isEmpty ? offered ?? [] : protocols) {
      plan.immediateError = URLError(
        .badURL, message: "The WebSocket task's sub-protocols cannot be offered: \(reason).", url: request.url)
    }
    let load = load(plan)
    load.setSink(channel)
    return made(URLSessionWebSocketTask(load: load, channel: channel))
  }

  func stream(toHost host: String, port: Int) -> URLSessionStreamTask {
    var components = URLComponents()
    components.scheme = "tcp"
    // An address of IPv6 has brackets in a URL (RFC 3986, section 3.2.2).
    components.host = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    var plan = LoadPlan(request: .placeholder, kind: .stream, owner: .delegate)
    // Foundation traps on a negative one.
    let isPort = (1...65_535).contains(port)
    if isPort { components.port = port }
    if let url = components.url, !host.isEmpty, isPort {
      plan.request = URLRequest(url: url)
    } else {
      plan.immediateError = URLError(
        .badURL,
        message: "A stream task needs a host and a port from 1 to 65535: got \"\(host.prefix(200))\" and \(port).",
        url: nil)
    }
    let channel = StreamChannel(url: plan.request.url)
    let load = load(plan)
    channel.attach(to: load)
    load.setSink(channel)
    return made(URLSessionStreamTask(load: load, channel: channel))
  }

  /// A task whose response, body and end go to a sink, by a plan of which a reader is the owner.
  func task(
    _ plan: consuming LoadPlan, sink: any BodySink, delegate: (any URLSessionTaskDelegate)? = nil
  ) -> URLSessionDataTask {
    let load = load(plan)
    load.setSink(sink)
    return made(URLSessionDataTask(load: load), delegate: delegate)
  }

  func load(_ plan: consuming LoadPlan) -> Load {
    // A request that a protocol class got for a listing may be loaded as something else.
    if !acceptsTasks { plan.immediateError = invalidity(for: plan.request) }
    if parts.background != nil, plan.background == nil { plan = planInService(plan) }
    return Load(session: self, plan: plan)
  }

  func made<Made: URLSessionTask>(_ task: Made, delegate: (any URLSessionTaskDelegate)? = nil) -> Made {
    if let delegate { task.delegate = delegate }
    switch task.load.plan.owner {
    case .delegate, .handler: taskRegistry.add(task, retains: true)
    case .reader: taskRegistry.add(task, retains: false)
    // Resumed at once, and retained by the registry from then on.
    case .waiter, .detached: break
    }
    if hadDelegate || delegate != nil {
      delegates.overridden(by: delegate).task?.tell(.created) { $0.urlSession(self, didCreateTask: task) }
    }
    return task
  }
}

extension LoadedBody {
  var data: Data? { if case .data(let data) = self { data } else { nil } }
  var file: URL? { if case .file(let url) = self { url } else { nil } }
}
