import URLLoading

/// Suspending, and consumers that are slow: nothing is lost, and nothing piles up.
extension URLProtocolConformance {
  static let flow = [
    ConformanceCheck("a delegate that stands still holds the sender back") { context, _ in
      let resource = try await context.place(large)
      let hold = Hold()
      let session = context.session(hold: hold)
      let task = session.session.dataTask(with: resource.request())
      task.resume()
      try await context.expectHoldingBack(session, resource)
      hold.release()
      try context.expectWhole(try await session.end(of: task), of: resource, by: "a slow delegate")
    },
    ConformanceCheck("a reader of bytes(for:) that stands still holds the sender back") { context, session in
      let resource = try await context.place(5 << 20 | 3)
      context.step("its first byte was read", resource.url)
      let (bytes, _) = try await session.session.bytes(for: resource.request())
      var reader = bytes.makeAsyncIterator()
      var body: [UInt8] = []
      if let first = try await reader.next() { body.append(first) }
      try await context.expectHoldingBack(session, resource)
      context.step("the rest was read", resource.url)
      while let byte = try await reader.next() { body.append(byte) }
      let outcome = LoadOutcome(body: Data(body))
      try context.expectBody(outcome, resource.bytes, resource.url, "for a slow reader")
    },
    ConformanceCheck("suspend and resume on the way") { context, _ in
      let resource = try await context.place(large)
      for kind in [LoadKind.dataDelegate, .downloadDelegate] {
        for start in [0, large / 2] {
          let given = Observed<Int?>(nil)
          let session = context.session { moment, task in
            guard case .data(let count) = moment, count > start else { return }
            let isFirst = given.update { given in
              defer { given = given ?? count }
              return given == nil
            }
            if isFirst { task.suspend() }
          }
          let task = session.task(resource.request(), isDownload: kind == .downloadDelegate)
          task.resume()
          context.step("a first piece was waited for", resource.url)
          await session.waitForBytes(start + 1, of: task)
          // The suspension follows at once; it does not where the load ended before.
          if task.state != .completed { _ = await given.wait(for: context.quietLimit) { $0 != nil } }
          let limit = (given.value ?? 0) + FlowLimits.standing
          let isTooMuch = await session.ledger.entries.wait(for: FlowLimits.watch) {
            Ledger.bytes(in: $0) > limit
          }
          try context.expect(
            !isTooMuch, resource.url, "the instance to send nothing more soon after suspend()",
            "\(session.ledger.bytes - (given.value ?? 0)) bytes came",
            "The sender must wait while the client's gate is closed.")
          context.step("it was resumed", resource.url)
          task.resume()
          try context.expectWhole(try await session.end(of: task), of: resource, by: "\(kind), suspended on the way")
          try await session.close()
        }
      }
    },
    ConformanceCheck("suspend and resume in quick succession") { context, session in
      let resource = try await context.place(large)
      for kind in [LoadKind.dataDelegate, .downloadDelegate] {
        let task = session.task(resource.request(), isDownload: kind == .downloadDelegate)
        let before = session.ledger.bytes
        task.resume()
        for step in 1...16 {
          context.step("it was suspended and resumed, \(step) times", resource.url)
          await session.waitForBytes(before + step * resource.count / 20, of: task)
          task.suspend()
          if step % 3 == 0 { task.suspend() }
          task.resume()
          if step % 3 == 0 { task.resume() }
        }
        try context.expectWhole(
          try await session.end(of: task), of: resource, by: "\(kind), suspended again and again")
      }
    },
  ]
}

extension CheckContext {
  /// The consumer stands still: the sender has to, too.
  fileprivate func expectHoldingBack(_ session: CheckSession, _ resource: Resource) async throws {
    step("its consumer stood still", resource.url)
    // As much as may wait will come.
    _ = await session.ledger.entries.wait { Ledger.bytes(in: $0) >= FlowLimits.buffer || $0.last?.order.end != nil }
    let isTooMuch = await session.ledger.entries.wait(for: FlowLimits.watch) {
      Ledger.bytes(in: $0) > FlowLimits.standing
    }
    try Task.checkCancellation()
    try expect(
      !isTooMuch, resource.url,
      "at most \(FlowLimits.standing) bytes while the consumer takes none (\(FlowLimits.buffer) may wait, the rest is on its way)",
      "\(session.ledger.bytes) came, the largest piece of \(session.ledger.entries.value.map(\.order.largestPiece).max() ?? 0)",
      "The sender must wait while the client's gate is closed, and pieces should be small (64 KiB, say).")
  }
}
