import URLLoading

/// Uploads, for classes that declare them. Each is read back through the fixture and through a load.
extension URLProtocolConformance {
  static let uploads: [ConformanceCheck] =
    UploadKind.allCases.map { kind in
      ConformanceCheck("uploads by \(kind)", capabilities: .upload) { context, session in
        for size in [0, 1, 1 << 20 | 3, kind == .fileDelegate || kind == .stream ? large : 70_000] {
          let url = try await context.fixture.uploadTarget(named: CheckContext.newName())
          let resource = Resource(url: url, bytes: TestBytes.make(size, seed: "\(kind)\(size)"))
          let outcome = try await session.upload(resource.bytes, to: resource.request(method: "PUT"), by: kind)
          try context.expectSuccess(outcome, url, "an upload of \(size) bytes by \(kind)")
          try await context.expectStored(resource, session)
          try context.expectProgress(outcome, of: resource, by: kind)
        }
      }
    } + [
      ConformanceCheck("an upload takes the place of what was there", capabilities: .upload) { context, session in
        let url = try await context.fixture.uploadTarget(named: CheckContext.newName())
        for size in [100_000, 1000, 0] {
          let resource = Resource(url: url, bytes: TestBytes.make(size, seed: "\(size)"))
          let outcome = try await session.upload(
            resource.bytes, to: resource.request(method: "PUT"), by: .dataHandler)
          try context.expectSuccess(outcome, url, "an upload of \(size) bytes")
          try await context.expectStored(resource, session)
        }
      },
      ConformanceCheck("a body by GET stores nothing", capabilities: .upload) { context, session in
        let url = try await context.fixture.uploadTarget(named: CheckContext.newName())
        let resource = Resource(url: url, bytes: TestBytes.make(1000, seed: "kept"))
        let outcome = try await session.upload(resource.bytes, to: resource.request(method: "PUT"), by: .dataAsync)
        try context.expectSuccess(outcome, url, "an upload of 1000 bytes")
        // Whether they fail is the class's choice.
        _ = try await session.upload(Data("other".utf8), to: resource.request(method: "GET"), by: .dataAsync)
        var request = resource.request()
        request.httpBody = Data("other".utf8)
        _ = try await session.load(request)
        try await context.expectStored(resource, session)
      },
      ConformanceCheck("cancel an upload on its way", capabilities: .upload) { context, _ in
        let url = try await context.fixture.uploadTarget(named: CheckContext.newName())
        let resource = Resource(url: url, bytes: TestBytes.make(large, seed: "cancelled"))
        let session = context.session { moment, task in
          if case .sent(let count) = moment, count > 0 { task.cancel() }
        }
        let outcome = try await session.upload(
          resource.bytes, to: resource.request(method: "PUT"), by: .fileDelegate)
        try context.expectCancelled(
          outcome, url,
          advice: "Report what was sent with urlProtocol(_:didSendBodyData:) as it is sent, and stop when told.")
      },
    ]
}

extension CheckContext {
  fileprivate func expectStored(_ resource: Resource, _ session: CheckSession) async throws {
    step("an upload was read back by the fixture", resource.url)
    let stored = LoadOutcome(body: try await fixture.contents(of: resource.url))
    try expectBody(stored, resource.bytes, resource.url, "to be stored")
    let loaded = try await session.load(resource.request())
    try expectWhole(loaded, of: resource, by: "data(for:), after an upload")
  }

  fileprivate func expectProgress(_ outcome: LoadOutcome, of resource: Resource, by kind: UploadKind) throws {
    if let count = outcome.countOfBytesSent {
      try expect(
        count == Int64(resource.count), resource.url, "countOfBytesSent to be \(resource.count) by \(kind)",
        "it was \(count)",
        "Report what was sent with urlProtocol(_:didSendBodyData:): the total so far, up to all of it.")
    }
    guard !outcome.sent.isEmpty else { return }
    let totals = outcome.sent.map { $0[1] }
    try expect(
      zip(totals, totals.dropFirst()).allSatisfy { $0 < $1 } && totals.last == Int64(resource.count), resource.url,
      "progress that grows to \(resource.count) by \(kind)", "it was \(totals.suffix(5))",
      "didSendBodyData tells the total, which never shrinks.")
  }
}
