import URLLoading

/// A session whose loads go through a spied instance of the class, and are recorded.
final class CheckSession: Sendable {
  let session: URLSession
  let recorder: Recorder
  var ledger: Ledger { recorder.ledger }
  private let context: CheckContext
  private let hold: Hold?

  init(
    _ context: CheckContext, hold: Hold?, answers: DelegateAnswers,
    hook: (@Sendable (Moment, URLSessionTask) -> Void)?
  ) {
    self.context = context
    self.hold = hold
    recorder = Recorder(ledger: Ledger(hook: hook), hold: hold, answers: answers)
    let configuration = context.fixture.configuration()
    let spy: AnyClass = spyClass(for: context.fixture.protocolClass)
    configuration.protocolClasses = [spy] + (configuration.protocolClasses ?? [])
    // Configurations of a fixture may share a storage: no check finds a credential that another one stored.
    if configuration.urlCredentialStorage != nil { configuration.urlCredentialStorage = URLCredentialStorage() }
    configuration.maximumBufferedBytesPerTask = FlowLimits.buffer
    session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
  }

  /// Ends the session at once, whatever its tasks do.
  func abandon() {
    hold?.release()
    recorder.answerDeferredQuestions()
    session.invalidateAndCancel()
  }

  // MARK: Loading

  func load(_ request: URLRequest, by kind: LoadKind = .dataAsync) async throws -> LoadOutcome {
    context.step("it was loaded by \(kind)", request.url)
    switch kind {
    case .dataDelegate: return try await run(session.dataTask(with: request))
    case .downloadDelegate: return try await run(session.downloadTask(with: request))
    case .dataHandler:
      return try await handled { done in session.dataTask(with: request) { done($0, $1, $2) } }
    case .downloadHandler:
      return try await handled { done in
        session.downloadTask(with: request) { done($0.flatMap { try? Data(contentsOf: $0) }, $1, $2) }
      }
    case .dataAsync: return await waited { try await session.data(for: request) }
    case .downloadAsync:
      return await waited {
        let (file, response) = try await session.download(for: request)
        defer { try? FileManager.default.removeItem(at: file) }
        return (try Data(contentsOf: file), response)
      }
    case .bytes:
      return await waited {
        let (bytes, response) = try await session.bytes(for: request)
        var body: [UInt8] = []
        for try await byte in bytes { body.append(byte) }
        return (Data(body), response)
      }
    }
  }

  func upload(_ body: Data, to request: URLRequest, by kind: UploadKind) async throws -> LoadOutcome {
    context.step("it was uploaded by \(kind)", request.url)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(CheckContext.newName())
    defer { try? FileManager.default.removeItem(at: file) }
    switch kind {
    case .dataDelegate: return try await run(session.uploadTask(with: request, from: body))
    case .dataHandler:
      return try await handled { done in session.uploadTask(with: request, from: body) { done($0, $1, $2) } }
    case .dataAsync: return await waited { try await session.upload(for: request, from: body) }
    case .fileDelegate:
      try body.write(to: file)
      return try await run(session.uploadTask(with: request, fromFile: file))
    case .fileAsync:
      try body.write(to: file)
      return await waited { try await session.upload(for: request, fromFile: file) }
    case .stream:
      var request = request
      request.httpBodyStream = InputStream(data: body)
      return try await run(session.uploadTask(withStreamedRequest: request))
    }
  }

  /// Makes a task that has the delegate.
  func task(_ request: URLRequest, isDownload: Bool) -> URLSessionTask {
    isDownload ? session.downloadTask(with: request) : session.dataTask(with: request)
  }

  /// Resumes a task that has the delegate, and waits for its end.
  func run(_ task: URLSessionTask) async throws -> LoadOutcome {
    task.resume()
    return try await end(of: task)
  }

  /// Waits for the end of a task that has the delegate.
  func end(of task: URLSessionTask) async throws -> LoadOutcome {
    let key = task.taskIdentifier
    guard await recorder.outcomes.wait(until: { ($0[key]?.completions ?? 0) > 0 }) else { throw CancellationError() }
    return recorder.outcomes.value[key] ?? LoadOutcome()
  }

  /// Waits until instances have reported so many bytes in all, or the task has ended.
  func waitForBytes(_ count: Int, of task: URLSessionTask) async {
    let ledger = ledger
    await wait(orEndOf: task) { _ = await ledger.entries.wait { Ledger.bytes(in: $0) >= count } }
  }

  /// Waits until the delegate was asked something, or the task has ended.
  func waitForQuestion(of task: URLSessionTask) async {
    let recorder = recorder
    await wait(orEndOf: task) { _ = await recorder.questions.wait { $0.count > 0 } }
  }

  private func wait(orEndOf task: URLSessionTask, for event: @escaping @Sendable () async -> Void) async {
    let (key, recorder) = (task.taskIdentifier, recorder)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await event() }
      group.addTask { _ = await recorder.outcomes.wait { ($0[key]?.completions ?? 0) > 0 } }
      await group.next()
      group.cancelAll()
    }
  }

  private func handled(
    _ make: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
  ) async throws -> LoadOutcome {
    let outcome = Observed(LoadOutcome())
    let task = make { body, response, error in
      outcome.update {
        ($0.body, $0.response, $0.error) = (body ?? Data(), response, error)
        $0.completions += 1
      }
    }
    // Kept with the others, so that a second call of the handler is seen when the session closes.
    handledOutcomes.update { $0.append(outcome) }
    task.resume()
    guard await outcome.wait(until: { $0.completions > 0 }) else { throw CancellationError() }
    var value = outcome.value
    (value.countOfBytesReceived, value.countOfBytesSent) = (task.countOfBytesReceived, task.countOfBytesSent)
    return value
  }

  private let handledOutcomes = Observed<[Observed<LoadOutcome>]>([])

  private func waited(_ load: () async throws -> (Data, URLResponse)) async -> LoadOutcome {
    var outcome = LoadOutcome(completions: 1)
    do {
      let (body, response) = try await load()
      (outcome.body, outcome.response) = (body, response)
    } catch {
      outcome.error = error
    }
    return outcome
  }

  // MARK: The end

  /// Waits until the session is invalid and every instance is gone, and looks at what they did meanwhile.
  func close() async throws {
    context.step("the session was waited for, to end with its last task", nil)
    session.finishTasksAndInvalidate()
    guard await recorder.isInvalid.wait(until: { $0 }) else { throw CancellationError() }
    // Tasks with another owner call the delegate with their progress only, and have no completions here.
    let delegated = recorder.outcomes.value.values.map(\.completions)
    let handled = handledOutcomes.value.map(\.value.completions)
    for count in delegated + handled {
      try context.expect(
        count <= 1, nil, "exactly one completion for each task", "one had \(count)",
        "An instance must report one end, and nothing after it.")
    }
    context.step("the instances were waited for, to go after their end", nil)
    _ = await ledger.entries.wait(for: context.quietLimit) { entries in
      entries.allSatisfy { $0.isReleased && $0.stops > 0 }
        || entries.contains { $0.bytesAfterStop > FlowLimits.afterStop }
    }
    try Task.checkCancellation()
    for entry in ledger.entries.value { try entry.verify(context) }
  }
}
