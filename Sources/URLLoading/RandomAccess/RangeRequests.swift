/// Makes the requests and tasks that load parts of a resource.
struct RangeRequests: Sendable {
  let session: URLSession
  /// The caller's request, whose fields every request has.
  var template: URLRequest
  let delegate: (any URLSessionTaskDelegate)?
  private let waitsForConnectivity: Bool

  init(
    session: URLSession, template: URLRequest, delegate: (any URLSessionTaskDelegate)?,
    waitsForConnectivity: Bool = true
  ) {
    self.session = session
    self.template = template
    self.delegate = delegate
    self.waitsForConnectivity = waitsForConnectivity
    self.template.httpBody = nil
  }

  /// Whether a delegate gets each task.
  var tellsDelegate: Bool { delegate != nil || session.delegates.task != nil }

  /// A request for a part, or for the whole. Without a content coding, which would change a part's positions (RFC 9110, section 14.2).
  func request(for range: ByteRange?, ifRange: String?) -> URLRequest {
    var request = template
    request.setValue(range?.fieldValue, forHTTPHeaderField: "Range")
    request.setValue(ifRange, forHTTPHeaderField: "If-Range")
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    return request
  }

  /// A task whose response, body and end go to a sink.
  func task(for request: URLRequest, sink: any BodySink) -> URLSessionDataTask {
    let plan = LoadPlan(
      request: request, kind: .bytes, owner: .reader, waitsForConnectivity: waitsForConnectivity, usesCache: false)
    return session.task(plan, sink: sink, delegate: delegate)
  }

  /// The requests for the resource where a task found it: at another host with the fields that the redirect left, because the first
  /// host might redirect to another copy the next time. Within one host the caller's request stays, because its URL may have
  /// credentials.
  func following(_ task: URLSessionTask) -> RangeRequests {
    let (found, cookies, fields) = task.load.read {
      ($0.attempt.request, $0.attempt.cookies, $0.attempt.listenerFields)
    }
    guard var found, let url = found.url, let original = template.url,
      url.scheme != original.scheme || url.host != original.host || url.port != original.port
    else { return self }
    // Cookies of the storage are chosen for each request, and so are the fields of a listener.
    cookies.withdraw(from: &found)
    fields.withdraw(from: &found)
    return RangeRequests(
      session: session, template: found, delegate: delegate, waitsForConnectivity: waitsForConnectivity)
  }
}
