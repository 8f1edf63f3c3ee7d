import URLLoading

/// Ranges of bytes (RFC 9110, section 14), for classes that declare them.
extension URLProtocolConformance {
  private static let length = 100_003

  static let ranges = [
    ConformanceCheck("ranges at every border", capabilities: .byteRanges) { context, session in
      let resource = try await context.place(length)
      let last = length - 1
      let expected: [(String, Range<Int>)] = [
        ("bytes=0-0", 0..<1), ("bytes=0-1", 0..<2), ("bytes=\(last)-\(last)", last..<length),
        ("bytes=0-\(last)", 0..<length), ("bytes=0-", 0..<length), ("bytes=\(last)-", last..<length),
        ("bytes=40000-59999", 40_000..<60_000), ("bytes=65535-65536", 65_535..<65_537), ("bytes=1-", 1..<length),
        ("bytes=-1", last..<length), ("bytes=-\(length - 1)", 1..<length), ("bytes=-\(length)", 0..<length),
        ("bytes=-\(length + 1)", 0..<length), ("bytes=\(last)-\(length)", last..<length),
        ("bytes=50000-9000000000", 50_000..<length),
      ]
      for (field, part) in expected {
        let outcome = try await session.load(resource.request(["Range": field]))
        try context.expectPart(outcome, part, of: resource, field)
      }
      for kind in [LoadKind.bytes, .downloadHandler, .dataDelegate] {
        let outcome = try await session.load(resource.request(["Range": "bytes=33-70000"]), by: kind)
        try context.expectPart(outcome, 33..<70_001, of: resource, "bytes=33-70000, by \(kind)")
      }
    },
    ConformanceCheck("a range of many pieces", capabilities: .byteRanges) { context, session in
      let resource = try await context.place(large)
      let field = "bytes=1000001-\(large - 2)"
      let outcome = try await session.load(resource.request(["Range": field]))
      try context.expectPart(outcome, 1_000_001..<large - 1, of: resource, field)
    },
    ConformanceCheck("ranges outside of the resource", capabilities: .byteRanges) { context, session in
      let resource = try await context.place(length)
      for field in ["bytes=\(length)-", "bytes=\(length)-\(length)", "bytes=\(length + 1)-", "bytes=9000000000-"] {
        let outcome = try await session.load(resource.request(["Range": field]))
        try context.expect(
          outcome.status.map { $0 == 416 } ?? (outcome.error != nil), resource.url,
          "an error, or status 416, for Range: \(field) of \(length) bytes",
          "\(outcome.body.count) bytes came with \(outcome.status.map { "status \($0)" } ?? outcome.errorText)",
          "ByteRangeSelection.unsatisfiable is to fail with URLError.unsatisfiableRange(of:length:).")
      }
      let whole = try await session.load(resource.request())
      try context.expectWhole(whole, of: resource, by: LoadKind.dataAsync)
    },
    ConformanceCheck("fields that name no single range get the whole", capabilities: .byteRanges) { context, session in
      let resource = try await context.place(length)
      for field in ["bytes=", "bytes=-", "bytes=a-b", "bytes=5-2", "items=0-1", "0-1", "bytes=0-1,5-6"] {
        let outcome = try await session.load(resource.request(["Range": field]))
        // What an HTTP server makes of these is for the server to say (RFC 9110, section 14.2).
        if outcome.status == 416 || outcome.status == 206 && outcome.response?.mimeType == "multipart/byteranges" {
          continue
        }
        try context.expectSuccess(outcome, resource.url, "a request with Range: \(field)")
        try context.expectResponse(outcome.response, of: resource)
        try context.expectBody(outcome, resource.bytes, resource.url, "of the whole, since \"\(field)\" is no range")
      }
    },
    ConformanceCheck("a range of an empty resource", capabilities: .byteRanges) { context, session in
      let resource = try await context.place(0)
      for field in ["bytes=0-0", "bytes=0-", "bytes=-5"] {
        let outcome = try await session.load(resource.request(["Range": field]))
        try context.expect(
          outcome.body.isEmpty || outcome.status == 416, resource.url, "no bytes, or an error",
          "\(outcome.body.count) bytes came", "An empty resource has no part.")
        try context.expect(
          outcome.response?.contentRange == nil, resource.url, "no contentRange: no part of nothing can be named",
          "it was \(outcome.response?.contentRange?.fieldValue ?? "")", "Give the whole, or fail.")
      }
    },
  ]
}
