internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// The parts of a body of the type `multipart/x-mixed-replace`, of which each replaces the one before, for a data task's delegate.
///
/// Mutable state: `state`, guarded by its lock; the calls of the load's delivery, one after another, are all that change it.
final class ReplacedParts: Sendable {
  private struct State {
    var parser: MixedReplaceParser
    /// What has come of a part whose bytes the delegate gets in one piece.
    var collected = Data()
  }

  /// The response of the whole.
  private let whole: HTTPURLResponse
  private let isIncremental: Bool
  private let state: Locked<State>

  /// Nil for a response whose body has no such parts, or does not say where they end.
  /// - Parameter isIncremental: whether the delegate gets a part as it comes, rather than in one call when it is whole.
  init?(_ response: URLResponse, isIncremental: Bool) {
    guard let whole = response as? HTTPURLResponse, let boundary = whole.replacedPartBoundary else { return nil }
    self.whole = whole
    self.isIncremental = isIncremental
    state = Locked(State(parser: MixedReplaceParser(boundary: boundary)))
  }

  /// Takes more of the body.
  func take(_ data: Data) throws(MixedReplaceParser.HeadTooLarge) -> [MixedReplaceParser.Event] {
    let result = state.withLock { state in
      Result { () throws(MixedReplaceParser.HeadTooLarge) in try state.parser.take(data) }
    }
    return try result.get()
  }

  /// The body has ended.
  func finish() -> [MixedReplaceParser.Event] { state.withLock { $0.parser.finish() } }

  /// Takes bytes of a part.
  /// - Returns: what the delegate gets now.
  func pass(_ data: Data) -> Data? {
    guard !isIncremental else { return data }
    state.withLock { $0.collected.append(data) }
    return nil
  }

  /// A part is whole.
  /// - Returns: what the delegate gets now.
  func endPart() -> Data? {
    let collected = state.withLock { state in
      defer { state.collected = Data() }
      return state.collected
    }
    return collected.isEmpty ? nil : collected
  }

  /// The response of a part: that of the whole, but for what describes its content.
  func response(_ fields: [MixedReplaceParser.Field]) -> HTTPURLResponse {
    let names = ["transfer-encoding", "trailer", "accept-ranges", "etag", "last-modified", "set-cookie"]
    let kept = whole.fields.fields.filter { field in
      let name = field.name.lowercased()
      return !name.hasPrefix("content-") && !names.contains(name)
        && !fields.contains { $0.name.equalsIgnoringASCIICase(name) }
    }
    // Cookies are set by the response of the whole alone.
    let own = fields.filter { !$0.name.equalsIgnoringASCIICase("set-cookie") }.map { (name: $0.name, value: $0.value) }
    return HTTPURLResponse(
      url: whole.url ?? URL(fileURLWithPath: "/"), statusCode: whole.receivedStatus, httpVersion: whole.httpVersion,
      fields: kept + own, isReceived: false)
  }
}
