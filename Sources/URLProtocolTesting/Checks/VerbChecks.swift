import URLLoading

/// What is done to what URLs name, for classes that declare the methods; and descriptions, for those that give them.
extension URLProtocolConformance {
  static let verbs: [ConformanceCheck] = [
    ConformanceCheck("DELETE removes what a URL names", capabilities: .acceptedHTTPMethods("DELETE")) {
      context, session in
      let resource = try await context.place(1000)
      try await context.expectDone("DELETE", resource.url, session)
      try await context.expectNothing(at: resource.url, "removed", session)
      try await context.expectRefusal(
        .fileDoesNotExist, "a second DELETE", resource.request(method: "DELETE"), session)
    },
    ConformanceCheck(
      "DELETE keeps a directory with something in it", capabilities: .acceptedHTTPMethods("DELETE"),
      abilities: .directories
    ) { context, session in
      let bytes = TestBytes.make(100, seed: "kept")
      let directory = try await context.fixture.directory(of: ["a.txt": bytes], named: CheckContext.newName())
      var request = URLRequest(url: directory)
      request.httpMethod = "DELETE"
      try await context.expectRefusal(.cannotRemoveFile, "DELETE of a directory that is not empty", request, session)
      let kept = Resource(url: directory.appending(component: "a.txt"), bytes: bytes)
      try context.expectWhole(try await session.load(kept.request()), of: kept, by: "data(for:), after a DELETE")
    },
    ConformanceCheck("MKCOL makes a directory", capabilities: .acceptedHTTPMethods("MKCOL")) { context, session in
      let url = try await context.fixture.uploadTarget(named: CheckContext.newName())
      try await context.expectDone("MKCOL", url, session)
      let loaded = try await session.load(URLRequest(url: url))
      try context.expect(
        loaded.code == .fileIsDirectory, url, "URLError.fileIsDirectory (-1101) for a load of what MKCOL made",
        "there was \(loaded.errorText)", "MKCOL makes a directory, which is there when the load has finished.")
      var request = URLRequest(url: url)
      request.httpMethod = "MKCOL"
      try await context.expectRefusal(.cannotCreateFile, "a second MKCOL", request, session)
    },
    ConformanceCheck("MOVE gives another name", capabilities: .acceptedHTTPMethods("MOVE")) { context, session in
      let resource = try await context.place(1000)
      let target = try await context.target(of: resource)
      try await context.expectDone("MOVE", resource.url, to: target.url, session)
      try await context.expectNothing(at: resource.url, "moved away", session)
      try context.expectWhole(try await session.load(target.request()), of: target, by: "data(for:), after a MOVE")
    },
    ConformanceCheck("MOVE replaces only where it may", capabilities: .acceptedHTTPMethods("MOVE")) {
      context, session in try await context.expectOverwrite(by: "MOVE", .cannotMoveFile, session)
    },
    ConformanceCheck("COPY makes another one", capabilities: .acceptedHTTPMethods("COPY")) { context, session in
      let resource = try await context.place(1000)
      let target = try await context.target(of: resource)
      try await context.expectDone("COPY", resource.url, to: target.url, session)
      for copy in [resource, target] {
        try context.expectWhole(try await session.load(copy.request()), of: copy, by: "data(for:), after a COPY")
      }
    },
    ConformanceCheck("COPY replaces only where it may", capabilities: .acceptedHTTPMethods("COPY")) {
      context, session in try await context.expectOverwrite(by: "COPY", .cannotCreateFile, session)
    },
    ConformanceCheck("a description says what a load would", capabilities: .resourceInfo) { context, session in
      let resource = try await context.place(1000)
      let info = try await session.session.resourceInfo(at: resource.url)
      try context.expect(
        [.file, .unknown].contains(info.kind), resource.url, "a file, or a kind that is not known",
        "it was \(info.kind)",
        "Describe what the URL names itself.")
      try context.expect(
        info.size == nil || info.size == 1000, resource.url, "a size of 1000, or none", "it was \(info.size ?? -1)",
        "Nil is right for what the source does not tell.")
      let loaded = try await session.load(resource.request())
      let versions = [info.validators, loaded.response?.validators].map { $0.map { [$0.entityTag] } }
      try context.expect(
        versions[0] == versions[1], resource.url, "the entity tag that a load's response has",
        "they were \(info.validators.entityTag ?? "none") and \(loaded.response?.validators.entityTag ?? "none")",
        "One version of a resource has one tag, however it is asked for.")
    },
    ConformanceCheck(
      "a directory is described, and nothing is an error", capabilities: .resourceInfo,
      abilities: [.directories, .missing]
    ) { context, session in
      let directory = try await context.fixture.directory(of: [:], named: CheckContext.newName())
      let info = try await session.session.resourceInfo(at: directory)
      try context.expect(
        info.kind == .directory, directory, "a directory", "it was \(info.kind)",
        "Where the demand wantsInfo is set, a HEAD of a directory is answered, and does not fail.")
      let missing = try await context.fixture.missing()
      do {
        let info = try await session.session.resourceInfo(at: missing)
        throw context.failure(
          missing, expected: "an error for a description of nothing", happened: "it was \(info.kind)",
          advice: "Fail with URLError.fileDoesNotExist.")
      } catch let error as URLError {
        try context.expect(
          error.code == .fileDoesNotExist, missing, "URLError.fileDoesNotExist (-1100) for a description of nothing",
          "it was \(error.code.rawValue)", "Fail with URLError.fileDoesNotExist.")
      }
    },
  ]
}

extension CheckContext {
  /// Where a resource is moved or copied to.
  fileprivate func target(of resource: Resource) async throws -> Resource {
    Resource(url: try await fixture.uploadTarget(named: Self.newName()), bytes: resource.bytes)
  }

  private func request(_ method: String, _ url: URL, to target: URL?, overwriting: Bool?) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.setValue(target?.absoluteString, forHTTPHeaderField: "Destination")
    if let overwriting { request.setValue(overwriting ? "T" : "F", forHTTPHeaderField: "Overwrite") }
    return request
  }

  fileprivate func expectDone(
    _ method: String, _ url: URL, to target: URL? = nil, overwriting: Bool? = nil, _ session: CheckSession
  ) async throws {
    step("it got the method \(method)", url)
    let outcome = try await session.load(request(method, url, to: target, overwriting: overwriting))
    try expectSuccess(outcome, url, method)
  }

  fileprivate func expectNothing(at url: URL, _ reason: String, _ session: CheckSession) async throws {
    try await expectRefusal(.fileDoesNotExist, "a load of what was \(reason)", URLRequest(url: url), session)
  }

  /// A failure by an error's code, or by a status that says so.
  fileprivate func expectRefusal(
    _ code: URLError.Code, _ what: String, _ request: URLRequest, _ session: CheckSession
  ) async throws {
    let outcome = try await session.load(request)
    try expect(
      outcome.code == code, request.url, "the error \(code.rawValue) for \(what)", "there was \(outcome.errorText)",
      "The methods are those of RFC 9110 and RFC 4918; an error's code says why one was not carried out.")
  }

  fileprivate func expectOverwrite(by method: String, _ code: URLError.Code, _ session: CheckSession) async throws {
    let (own, other) = (try await place(1000), try await place(700))
    try await expectRefusal(
      code, "\(method) to what is there, with Overwrite: F",
      request(method, own.url, to: other.url, overwriting: false), session)
    for resource in [own, other] {
      try expectWhole(
        try await session.load(resource.request()), of: resource, by: "data(for:), after a \(method) that was refused")
    }
    try await expectDone(method, own.url, to: other.url, overwriting: true, session)
    let replaced = Resource(url: other.url, bytes: own.bytes)
    try expectWhole(try await session.load(replaced.request()), of: replaced, by: "data(for:), after a \(method)")
  }
}
