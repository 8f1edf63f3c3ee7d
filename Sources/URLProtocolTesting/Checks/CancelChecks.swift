import URLLoading

/// Cancelling at every step: one completion with -999, and then the instance goes.
extension URLProtocolConformance {
  /// When a load is cancelled from within what the instance reports.
  private enum Step: String, CaseIterable, Sendable {
    case response = "on the response"
    case firstData = "on the first data"
    case middle = "in the middle"
    case lastByte = "on the last byte"

    func isReached(by moment: Moment) -> Bool {
      switch (self, moment) {
      case (.response, .response), (.firstData, .data): true
      case (.middle, .data(let count)): count >= large / 2
      case (.lastByte, .data(let count)): count >= large
      default: false
      }
    }
  }

  /// How much of the body has come when a load is cancelled from another thread.
  private enum Progress: String, CaseIterable, Sendable {
    case firstByte = "the first byte"
    case third = "a third of the body"
    case twoThirds = "two thirds of the body"

    var bytes: Int {
      switch self {
      case .firstByte: 1
      case .third: large / 3
      case .twoThirds: large * 2 / 3
      }
    }
  }

  static let cancelling: [ConformanceCheck] =
    Step.allCases.map { step in
      ConformanceCheck("cancel \(step.rawValue)") { context, _ in
        let resource = try await context.place(large)
        try await context.cancelling(resource, isCertain: true) { session, make in
          try await session.run(make())
        } when: { moment, task in
          if step.isReached(by: moment) { task.cancel() }
        }
      }
    }
    + Progress.allCases.map { progress in
      ConformanceCheck("cancel from another thread after \(progress.rawValue)") { context, _ in
        let resource = try await context.place(large)
        // The instance keeps sending, and may finish first.
        try await context.cancelling(resource, isCertain: false) { session, make in
          let task = make()
          task.resume()
          await session.waitForBytes(progress.bytes, of: task)
          task.cancel()
          return try await session.end(of: task)
        }
      }
    } + [
      ConformanceCheck("cancel before the first resume") { context, _ in
        let resource = try await context.place(large)
        try await context.cancelling(resource, isCertain: true) { session, make in
          let task = make()
          task.cancel()
          return try await session.end(of: task)
        }
      },
      ConformanceCheck("cancel right after resume") { context, _ in
        let resource = try await context.place(large)
        // On a busy machine all may have come before the next line is reached.
        try await context.cancelling(resource, isCertain: false) { session, make in
          let task = make()
          task.resume()
          task.cancel()
          return try await session.end(of: task)
        }
      },
      ConformanceCheck("cancel after the end") { context, session in
        let resource = try await context.place(1 << 20)
        let task = session.session.dataTask(with: resource.request())
        let outcome = try await session.run(task)
        task.cancel()
        try context.expectWhole(outcome, of: resource, by: LoadKind.dataDelegate)
      },
    ]
}

extension CheckContext {
  /// Cancels a data task and a download.
  /// - Parameters:
  ///   - isCertain: whether the cancel comes before the end for sure.
  ///   - body: runs a task that it makes, to its end.
  ///   - hook: called on the instance's thread with what it reports.
  fileprivate func cancelling(
    _ resource: Resource, isCertain: Bool,
    _ body: (CheckSession, () -> URLSessionTask) async throws -> LoadOutcome,
    when hook: (@Sendable (Moment, URLSessionTask) -> Void)? = nil
  ) async throws {
    for isDownload in [false, true] {
      step("it was cancelled", resource.url)
      let session = session(when: hook)
      let outcome = try await body(session) { session.task(resource.request(), isDownload: isDownload) }
      if isCertain || outcome.error != nil { try expectCancelled(outcome, resource.url) }
      try await session.close()
      // The class works on.
      let next = self.session()
      try expectWhole(try await next.load(resource.request(), by: .dataHandler), of: resource, by: LoadKind.dataHandler)
      try await next.close()
    }
  }
}
