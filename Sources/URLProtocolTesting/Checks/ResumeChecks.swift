import URLLoading

/// Downloads that are interrupted and resumed.
extension URLProtocolConformance {
  static let resuming = [
    ConformanceCheck("a download resumes from its resume data", capabilities: .byteRanges) { context, _ in
      let resource = try await context.place(large)
      // From the first bytes, after part of the way, and when only the end is missing.
      for step in [1, large / 4, large] {
        var resumeData: Data?
        var rounds = 0
        var outcome = LoadOutcome()
        repeat {
          let round = try await context.interrupt(resource, after: step, resumeData)
          outcome = round.outcome
          // A cancel drops calls that the delegate has not received yet.
          if resumeData != nil, round.isComplete || !outcome.resumedAt.isEmpty {
            try context.expectResumption(outcome, resource)
          }
          rounds += 1
          if round.isComplete { break }
          guard let data = round.resumeData else {
            // Without a validator nothing can be resumed.
            guard outcome.response?.validators.isStrong == true else { return }
            throw context.failure(
              resource.url, expected: "resume data from a download that was cancelled on its way",
              happened: "there were none",
              advice: "Responses need acceptsByteRanges, validators, and the length of the whole.")
          }
          resumeData = data
          // One that resumes at the end cannot be interrupted again.
        } while rounds < (step == large / 4 ? 8 : 1)
        if outcome.error != nil, let resumeData {
          outcome = try await context.finish(resource, resumeData)
          try context.expectSuccess(outcome, resource.url, "a download that was interrupted \(rounds) times")
          try context.expectResumption(outcome, resource)
        }
        try context.expectBody(
          outcome, resource.bytes, resource.url, "of a download that was interrupted \(rounds) times")
      }
    },
    ConformanceCheck(
      "a download of what changed meanwhile starts again", capabilities: .byteRanges, abilities: .replacing
    ) { context, _ in
      let resource = try await context.place(large)
      let round = try await context.interrupt(resource, after: large / 2, nil)
      guard let resumeData = round.resumeData else { return }
      let bytes = TestBytes.make(large - 4096, seed: "changed")
      try await context.fixture.replace(resource.url, with: bytes)
      let outcome = try await context.finish(Resource(url: resource.url, bytes: bytes), resumeData)
      try context.expectSuccess(outcome, resource.url, "a download of what changed")
      try context.expectBody(outcome, bytes, resource.url, "of the new version")
    },
  ]
}

extension CheckContext {
  fileprivate struct Round {
    var outcome: LoadOutcome
    var resumeData: Data?
    var isComplete: Bool { outcome.error == nil }
  }

  /// Downloads, and cancels when so many bytes more came.
  fileprivate func interrupt(_ resource: Resource, after count: Int, _ resumeData: Data?) async throws -> Round {
    step("a download was interrupted", resource.url)
    let produced = Observed<Data??>(nil)
    let isCancelled = Observed(false)
    let session = session { moment, task in
      guard case .data(let total) = moment, total >= count, let download = task as? URLSessionDownloadTask else {
        return
      }
      let isFirst = isCancelled.update { isCancelled in
        defer { isCancelled = true }
        return !isCancelled
      }
      guard isFirst else { return }
      download.cancel { data in produced.update { $0 = .some(data) } }
    }
    let task =
      resumeData.map { session.session.downloadTask(withResumeData: $0) }
      ?? session.session.downloadTask(with: resource.request())
    let outcome = try await session.run(task)
    if outcome.error != nil {
      try expectCancelled(outcome, resource.url, advice: "Look at how the class answers Range and If-Range.")
      _ = await produced.wait { $0 != nil }
    }
    try await session.close()
    return Round(outcome: outcome, resumeData: produced.value ?? nil)
  }

  fileprivate func expectResumption(_ outcome: LoadOutcome, _ resource: Resource) throws {
    try expect(
      outcome.resumedAt.first ?? 0 > 0, resource.url, "the download to resume where it stopped",
      "it resumed at \(outcome.resumedAt)",
      "Answer Range and If-Range with the part, its contentRange and the same validators.")
  }

  /// Resumes a download, to its end.
  fileprivate func finish(_ resource: Resource, _ resumeData: Data) async throws -> LoadOutcome {
    step("a download was resumed", resource.url)
    let session = session()
    let outcome = try await session.run(session.session.downloadTask(withResumeData: resumeData))
    try await session.close()
    return outcome
  }
}
