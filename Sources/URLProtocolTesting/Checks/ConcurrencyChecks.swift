import URLLoading

extension URLProtocolConformance {
  static let concurrency = [
    ConformanceCheck("a hundred loads at once") { context, session in
      var resources: [Resource] = []
      for number in 0..<10 { resources.append(try await context.place(number * 70_001)) }
      let kinds: [LoadKind] = [.dataAsync, .dataDelegate, .downloadDelegate, .downloadAsync, .dataHandler]
      let placed = resources
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          group.addTask {
            let resource = placed[number % placed.count]
            let kind = kinds[number / placed.count % kinds.count]
            try context.expectWhole(
              try await session.load(resource.request(), by: kind), of: resource, by: "\(kind), one of a hundred")
          }
        }
        try await group.waitForAll()
      }
    }
  ]
}
