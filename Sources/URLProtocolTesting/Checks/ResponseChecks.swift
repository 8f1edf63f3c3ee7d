import URLLoading

extension URLProtocolConformance {
  static let responses = [
    ConformanceCheck("the class takes its own URLs") { context, _ in
      let resource = try await context.place(1)
      let type = context.fixture.protocolClass
      for _ in 0..<2 {
        try context.expect(
          type.canInit(with: resource.request()), resource.url, "canInit(with:) to be true, whenever it is asked",
          "it was false", "It is a question about the URL alone.")
      }
      let scheme = resource.url.scheme ?? ""
      let names = type.capabilities.schemes
      try context.expect(
        names.isEmpty || names.contains(scheme.lowercased()), resource.url, "schemes to name \"\(scheme)\"",
        "it names \(names)", "Errors about unknown schemes list them; they are in lower case.")
      let canonical = type.canonicalRequest(for: resource.request())
      try context.expect(
        type.canonicalRequest(for: canonical).url == canonical.url, resource.url,
        "the canonical form of a canonical request to be itself",
        "it was \(type.canonicalRequest(for: canonical).url?.redactedDescription ?? "none")",
        "canonicalRequest(for:) must not change what it made.")
    },
    ConformanceCheck("the same resource loads again and again") { context, session in
      let resource = try await context.place(100_003)
      for _ in 0..<5 {
        try context.expectWhole(
          try await session.load(resource.request()), of: resource, by: LoadKind.dataAsync)
      }
    },
    ConformanceCheck("HEAD gives the head alone", capabilities: .byteRanges) { context, session in
      for size in [0, 100_003] {
        let resource = try await context.place(size)
        let outcome = try await session.load(resource.request(method: "HEAD"))
        try context.expectSuccess(outcome, resource.url, "HEAD")
        try context.expect(
          outcome.body.isEmpty, resource.url, "no body for HEAD", "\(outcome.body.count) bytes came",
          "A class that reads the request's fields must read its method, too: finish after the response.")
        try context.expectResponse(outcome.response, of: resource)
      }
    },
  ]
}
