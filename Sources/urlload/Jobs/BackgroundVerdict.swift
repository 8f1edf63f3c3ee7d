import URLLoading

/// What becomes of the file of a background load, by the response that it came with.
enum BackgroundVerdict {
  case take
  /// Status 304: the file stays as it is.
  case leave
  case refuse(Failure)

  init(_ response: URLResponse?, to request: URLRequest?, _ place: BackgroundPlace) {
    self = .take
    guard let response, let url = request?.url else { return }
    var options = LoadOptions()
    options.keepsErrorBodies = place.keepsErrorBodies
    let expectation = request.flatMap { RangeExpectation($0) }
    options.range = expectation?.range
    let status = (response as? HTTPURLResponse)?.statusCode ?? 200
    // A response with a part may be the last of several, which the service has put together.
    guard status != 206 else { return }
    let now = ResponseVerdict.Situation(
      options: options, policy: RetryPolicy(retries: 0, method: "GET"), attempt: 1, expectation: expectation,
      isResumption: false, count: 0, isFile: true, url: url)
    switch ResponseVerdict(response, now) {
    case .write, .overwrite: self = .take
    case .leave, .unwanted: self = .leave
    case .retry, .restart: self = .take
    case .refuse(let failure): self = .refuse(failure)
    }
  }
}
