import URLLoading

/// Loads one URL into its output, in one attempt or more.
struct Loader: Sendable {
  let url: URL
  let options: LoadOptions
  let output: any Output
  let status: LoadStatus
  let session: URLSession
  let console: Console

  /// - Returns: the failure, or nil.
  func run() async -> Failure? {
    defer { status.update { $0.hasEnded = true } }
    let failure = await load()
    if failure != nil { output.abandon() }
    return failure
  }

  private func load() async -> Failure? {
    let policy = RetryPolicy(retries: options.retries, method: RequestBuilder.method(options))
    var resumption: Resumption?
    var attempt = 1
    while true {
      var request = RequestBuilder.request(for: url, options)
      let rest = output.count > 0 ? resumption?.expectation(after: output.count) : nil
      rest?.apply(to: &request)
      let now = ResponseVerdict.Situation(
        options: options, policy: policy, attempt: attempt, expectation: rest ?? RangeExpectation(request),
        isResumption: rest != nil, count: output.count, isFile: output.isFile, url: url)
      let outcome = await Attempt(output: output, status: status, console: console, situation: now)
        .run(request, in: session)

      let delay: TimeInterval?
      let failure: Failure
      if case .retry(let seconds) = outcome.verdict, let response = outcome.response as? HTTPURLResponse {
        delay = seconds
        failure = Failure(status: response.statusCode, url: url)
      } else if case .restart(let reason) = outcome.verdict {
        delay = policy.delayBeforeRestart(attempt: attempt)
        failure = reason
        resumption = nil
      } else if case .refuse(let refusal) = outcome.verdict {
        return refusal
      } else if let error = outcome.error {
        delay = policy.delay(after: error, attempt: attempt)
        failure = Failure(error, url: url)
        if rest == nil || outcome.verdict?.overwrites == true {
          resumption = outcome.response.flatMap {
            Resumption($0, isPart: request.value(forHTTPHeaderField: "Range") != nil)
          }
        }
      } else {
        return end(outcome.response)
      }
      guard let delay else { return failure }
      console.line("\(failure.line); attempt \(attempt + 1) of \(options.retries + 1) in \(delay) s")
      try? await Task.sleep(for: .seconds(delay))
      attempt += 1
    }
  }

  private func end(_ response: URLResponse?) -> Failure? {
    do {
      try output.finish()
    } catch {
      return error
    }
    if let name = output.name, let wanted = response.map({ FileNames.safe($0.suggestedFilename) }),
      options.outputs.contains(.suggestedName), name != wanted
    {
      console.line("urlload: saved as \(name), \(SafeText.url(url)): \(wanted) was there already")
    }
    if let response = response as? HTTPURLResponse, response.statusCode >= 400 {
      return Failure(status: response.statusCode, url: url)
    }
    return nil
  }
}
