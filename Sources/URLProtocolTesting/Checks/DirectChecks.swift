import URLLoading

extension URLProtocolConformance {
  /// For classes that load without an instance as well: what programs get is the same.
  static let directLoads = [
    ConformanceCheck("direct loads are whole", isOfDirectLoads: true) { context, _ in
      let session = PlainSession(context)
      defer { session.close() }
      for size in sizes {
        let resource = try await context.place(size)
        context.step("it was loaded directly", resource.url)
        try context.expectWhole(try await session.load(resource.request()), of: resource, by: "a direct load")
        try context.expectWhole(await session.loadAsync(resource.request()), of: resource, by: "a direct load")
      }
    },
    ConformanceCheck("a missing resource fails directly as by an instance", abilities: .missing, isOfDirectLoads: true)
    {
      context, spied in
      let session = PlainSession(context)
      defer { session.close() }
      let request = URLRequest(url: try await context.fixture.missing())
      let (byInstance, direct) = (try await spied.load(request), try await session.load(request))
      try context.expect(
        direct.code == byInstance.code && direct.status == byInstance.status, request.url,
        "what an instance says: \(byInstance.errorText), status \(byInstance.status ?? 0)",
        "a direct load said \(direct.errorText), status \(direct.status ?? 0)",
        "Let the direct load and startLoading() share the code that finds the resource.")
    },
    ConformanceCheck("a direct load is cancelled, paused and goes on", isOfDirectLoads: true) { context, _ in
      let session = PlainSession(context)
      defer { session.close() }
      let resource = try await context.place(large)
      context.step("it was cancelled at once", resource.url)
      try context.expectCancelled(try await session.load(resource.request()) { $0.cancel() }, resource.url)
      context.step("it was suspended and resumed", resource.url)
      let paused = try await session.load(resource.request()) { task in
        task.suspend()
        task.resume()
      }
      try context.expectWhole(paused, of: resource, by: "a direct load that was suspended")
    },
    ConformanceCheck("direct loads do not get in each other's way", isOfDirectLoads: true) { context, _ in
      let session = PlainSession(context)
      defer { session.close() }
      let resource = try await context.place(4096)
      context.step("it was loaded directly, a hundred times at once", resource.url)
      try await withThrowingTaskGroup(of: LoadOutcome.self) { group in
        for _ in 0..<100 { group.addTask { try await session.load(resource.request()) } }
        for try await outcome in group {
          try context.expectWhole(outcome, of: resource, by: "one of many direct loads")
        }
      }
    },
  ]
}
