import URLLoading

extension URLProtocolConformance {
  /// The sizes that whole loads are tried with: nothing, one byte, a whole number of pieces, and many pieces with a rest.
  static let sizes = [0, 1, 1 << 20, large]

  /// Larger than what may wait anywhere.
  static let large = 8 << 20 | 3

  static let wholeLoads = LoadKind.allCases.map { kind in
    ConformanceCheck("whole loads by \(kind)") { context, session in
      // Bytes that are taken one by one take their time.
      for size in kind == .bytes ? sizes.map({ min($0, 2 << 20 | 3) }) : sizes {
        let resource = try await context.place(size)
        let outcome = try await session.load(resource.request(), by: kind)
        try context.expectWhole(outcome, of: resource, by: kind)
        guard kind == .dataDelegate else { continue }
        let calls = size == 0 ? ["response", "completion"] : ["response", "data", "completion"]
        try context.expect(
          outcome.calls == calls, resource.url, "the delegate to be called for \(calls.joined(separator: ", "))",
          "it was for \(outcome.calls.joined(separator: ", "))", "Report a response, then data, then the end.")
      }
    }
  }
}
