import URLLoading

/// That the events of an instance come in their order, and that it goes when it was stopped, is looked at whenever a session
/// is closed. Here are loads whose order nothing disturbs.
extension URLProtocolConformance {
  static let sequences = [
    ConformanceCheck("events come in their order, once each") { context, session in
      for size in sizes {
        let resource = try await context.place(size)
        _ = try await session.load(resource.request(), by: .dataDelegate)
      }
      try await session.close()
      for entry in session.ledger.entries.value where entry.order.end != .finish {
        throw context.failure(
          entry.url, expected: "one finish for each load",
          happened: entry.order.end.map { "there was \($0.name)" } ?? "there was none",
          advice: "urlProtocolDidFinishLoading tells that the body is whole.")
      }
    },
    ConformanceCheck("a session that is dropped ends its loads") { context, _ in
      let resource = try await context.place(large)
      let hold = Hold()
      let session = context.session(hold: hold)
      let task = session.session.dataTask(with: resource.request())
      task.resume()
      context.step("the first data was waited for", resource.url)
      _ = await hold.waitForArrival()
      session.session.invalidateAndCancel()
      hold.release()
      let outcome = try await session.end(of: task)
      try context.expectCancelled(
        outcome, resource.url, advice: "invalidateAndCancel() ends the load as cancel() does.")
    },
  ]
}
