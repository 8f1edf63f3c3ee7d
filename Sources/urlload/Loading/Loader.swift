import URLLoading

/// Loads one URL into its output, in one attempt or more.
struct Loader: Sendable {
  let url: URL
  /// Its place among all URLs.
  let number: Int
  let options: LoadOptions
  let output: any Output
  let status: LoadStatus
  let session: URLSession
  let console: Console
  let heads: HeadFile?
  /// Where an earlier load has stopped.
  var initialResumption: Resumption?

  /// - Returns: the failure, or nil.
  func run() async -> Failure? {
    status.update { $0.hasBegun = true }
    var last: Attempt.Outcome?
    var failure = await load(&last)
    if let found = failure {
      // What -C continues is a part of the whole.
      let isKept = found.keepsPart && options.range == nil
      let kept = isKept && PartialFiles.shared.keepsParts ? output.keep() : nil
      failure?.note = (kept?.text ?? output.damage).map { "urlload: \($0)" }
      output.abandon()
    }
    status.update { status in
      status.hasEnded = true
      status.hasFailed = failure != nil
    }
    writeOut(last, failure)
    return failure
  }

  private func load(_ last: inout Attempt.Outcome?) async -> Failure? {
    let sent = RetriedRequest(RequestBuilder.request(for: url, options))
    let policy = RetryPolicy(
      retries: options.retries, method: RequestBuilder.method(options), fixedDelay: options.retryDelay,
      hasKey: sent.hasKey)
    var resumption = initialResumption
    let input = InputStatus()
    // A part of an earlier load that does not fit any more is given up for nothing less than the whole.
    var mayRestart = initialResumption != nil
    var attempt = 1
    while true {
      var request = RequestBuilder.request(for: url, options)
      let rest = output.count > 0 ? resumption?.expectation(after: output.count) : nil
      rest?.apply(to: &request)
      let now = ResponseVerdict.Situation(
        options: options, policy: policy, attempt: attempt, expectation: rest ?? RangeExpectation(request),
        isResumption: rest != nil, count: output.count, isFile: output.isFile, url: url)
      let outcome = await Attempt(
        output: output, status: status, console: console, situation: now, heads: heads, input: input
      )
      .run(request, in: session)
      last = outcome
      if mayRestart, outcome.verdict?.overwrites == true {
        let reason =
          initialResumption?.validators.isStrong == true
          ? "the resource has changed since the part was loaded" : "the server sent all of it"
        console.line("urlload: restarts, \(SafeText.url(url)): \(reason)")
        mayRestart = false
      }

      let delay: TimeInterval?
      var failure: Failure
      if case .retry(let seconds) = outcome.verdict, let response = outcome.response as? HTTPURLResponse {
        delay = seconds
        failure = Failure(response, of: url, options)
      } else if case .restart(let reason) = outcome.verdict {
        resumption = nil
        if mayRestart {
          console.line("urlload: restarts, \(SafeText.url(url)): \(reason.what)")
          mayRestart = false
          continue
        }
        delay = policy.delayBeforeRestart(attempt: attempt)
        failure = reason
      } else if case .refuse(let refusal) = outcome.verdict {
        return used(refusal, attempt)
      } else if let error = outcome.error {
        delay = policy.delay(after: error, attempt: attempt)
        failure = Failure(error, url: url, options: options)
        if rest == nil || outcome.verdict?.overwrites == true {
          resumption = outcome.response.flatMap {
            options.report.includesHeads
              ? nil : Resumption($0, isPart: request.value(forHTTPHeaderField: "Range") != nil)
          }
        }
      } else if outcome.verdict == .leave {
        return saveEntityTag(outcome.response)
      } else if outcome.verdict == .unwanted {
        // Its tag is not that of the file that stays.
        return nil
      } else {
        return end(outcome.response)
      }
      guard let delay else { return used(failure, attempt) }
      guard !input.isUsed else { return used(failure.withoutSecondInput, attempt) }
      console.line("\(failure.line); attempt \(attempt + 1) of \(options.retries + 1) in \(delay) s")
      try? await Task.sleep(for: .seconds(delay))
      attempt += 1
    }
  }

  /// Says how many attempts there were.
  private func used(_ failure: Failure, _ attempt: Int) -> Failure {
    guard attempt > 1 else { return failure }
    return Failure(
      failure.reason, "after \(attempt) attempts: \(failure.what)", failure.subject,
      advice: failure.advice.replacing("or let --retry do it", with: "or allow more with --retry"),
      keepsPart: failure.keepsPart)
  }

  private func end(_ response: URLResponse?) -> Failure? {
    do {
      try output.finish(options.keepsTime ? response?.validators.lastModified : nil)
    } catch {
      return error
    }
    if let name = output.name, let wanted = wantedName(response), name != wanted {
      console.line("urlload: saved as \(name), \(SafeText.url(url)): \(wanted) was there already")
    }
    if let response = response as? HTTPURLResponse, response.statusCode >= 400 {
      return Failure(response, of: url, options)
    }
    return saveEntityTag(response)
  }

  /// The name that the file would have if none were in its place; nil where it takes that in any case.
  private func wantedName(_ response: URLResponse?) -> String? {
    switch options.outputs[number] {
    case .suggestedName: response.map { FileNames.safe($0.suggestedFilename) }
    case .file(let path): options.keepsFiles ? FileNames.split(path).name : nil
    case .standardOutput: nil
    }
  }

  /// For a later load to compare with, when all of this one is there.
  private func saveEntityTag(_ response: URLResponse?) -> Failure? {
    guard let path = options.entityTagFile else { return nil }
    let tag = response?.validators.entityTag
    // Status 304 need not tell the tag again.
    guard tag != nil || (response as? HTTPURLResponse)?.statusCode != 304 else { return nil }
    do {
      try EntityTagFile.write(tag, to: path)
      return nil
    } catch {
      return error
    }
  }

  private func writeOut(_ outcome: Attempt.Outcome?, _ failure: Failure?) {
    guard let format = options.report.format, let outcome else { return }
    let text = WriteOut(
      url: url, number: number, request: outcome.request ?? URLRequest(url: url), response: outcome.response,
      isUnwanted: outcome.verdict == .unwanted, metrics: outcome.metrics, file: failure == nil ? output.path : nil,
      failure: failure
    ).text(format) { console.line("urlload: -w has no variable \($0)") }
    // Whoever reads it may have gone; the load's own end counts.
    try? DescriptorWriter.write(Data(text.utf8), to: STDOUT_FILENO, "standard output")
  }
}

extension Failure {
  /// A failure after which a retry would send only the rest of an input.
  fileprivate var withoutSecondInput: Failure {
    Failure(
      reason, "\(what); what was read of the input cannot be sent again", subject,
      advice: "send a file with -T FILE, which --retry sends again", keepsPart: keepsPart)
  }
}
