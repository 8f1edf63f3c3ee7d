import URLLoading

/// What tells one version of a resource from another (RFC 9110, section 8.8).
extension URLProtocolConformance {
  static let validators = [
    ConformanceCheck("responses say that ranges can be had", capabilities: .byteRanges) { context, session in
      let resource = try await context.place(1000)
      let response = try await session.load(resource.request()).response
      try context.expect(
        response?.acceptsByteRanges == true, resource.url,
        "acceptsByteRanges in a response of a class with .byteRanges",
        "it was false", "Without it no download resumes.")
    },
    ConformanceCheck("validators stay the same while the resource does", capabilities: .byteRanges) {
      context, session in
      let resource = try await context.place(1000)
      let first = try await session.load(resource.request()).response?.validators
      let again = try await session.load(resource.request()).response?.validators
      try context.expect(
        first?.entityTag == again?.entityTag && first?.lastModified == again?.lastModified, resource.url,
        "the same validators for the same bytes",
        "they were \(first.text) and then \(again.text)",
        "Make them from what changes with the resource: a version, a hash; never from the time or a random number.")
      let part = try await session.load(resource.request(["Range": "bytes=1-2"])).response?.validators
      // A part need not repeat the date (RFC 9110, section 15.3.7).
      try context.expect(
        part?.entityTag == first?.entityTag && (part?.lastModified ?? first?.lastModified) == first?.lastModified,
        resource.url, "the same validators with a part", "they were \(first.text), and \(part.text) with the part",
        "Give the validators of the whole resource with every part of it.")
    },
    ConformanceCheck(
      "validators change with the resource", capabilities: .byteRanges, abilities: .replacing
    ) { context, session in
      let resource = try await context.place(1000)
      let before = try await session.load(resource.request()).response?.validators ?? ResourceValidators()
      let bytes = TestBytes.make(1007, seed: "other")
      try await context.fixture.replace(resource.url, with: bytes)
      let replaced = Resource(url: resource.url, bytes: bytes)
      var request = replaced.request()
      // Where the first load was slow, what a cache has of it may be fresh for a while (RFC 9111, section 4.2.2).
      request.cachePolicy = .reloadIgnoringLocalCacheData
      let outcome = try await session.load(request)
      try context.expectWhole(outcome, of: replaced, by: LoadKind.dataAsync)
      let after = outcome.response?.validators ?? ResourceValidators()
      guard let old = before.ifRangeValue else { return }
      try context.expect(
        !after.matches(ifRange: old), resource.url, "other validators for other bytes",
        "they were \(Optional(before).text) and \(Optional(after).text), which match",
        "A strong validator promises the same bytes. One that cannot is better left out.")
    },
    ConformanceCheck("If-Range decides between part and whole", capabilities: .byteRanges) { context, session in
      let resource = try await context.place(1000)
      let validators = try await session.load(resource.request()).response?.validators ?? ResourceValidators()
      if let value = validators.ifRangeValue {
        let outcome = try await session.load(resource.request(["Range": "bytes=990-", "If-Range": value]))
        try context.expectPart(outcome, 990..<1000, of: resource, "bytes=990-, If-Range: \(value)")
      }
      for value in ["\"of-another-version\"", "Tue, 15 Nov 1994 12:45:26 GMT"] {
        let outcome = try await session.load(resource.request(["Range": "bytes=990-", "If-Range": value]))
        try context.expectSuccess(outcome, resource.url, "a request with If-Range: \(value)")
        try context.expectBody(
          outcome, resource.bytes, resource.url, "of the whole, since If-Range: \(value) does not hold")
        try context.expectResponse(outcome.response, of: resource)
      }
    },
  ]
}

extension Optional<ResourceValidators> {
  /// For messages.
  fileprivate var text: String {
    guard let self, !self.isEmpty else { return "none" }
    return [self.entityTag, self.lastModified.map { "\($0)" }].compactMap { $0 }.joined(separator: " of ")
  }
}
