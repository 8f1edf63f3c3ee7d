import URLLoading

/// Asks a server what is at a URL, by `PROPFIND`.
struct Inquiry {
  /// In bytes. A directory comes ahead of its members, so that many of them are not read.
  static let largestAnswer = 16 << 20

  let exchange: Exchange
  /// What the question is asked for.
  let action: WebDAVFailures.Action

  /// - Parameter looksInside: whether it matters that a directory has members. The answer is then not read further than to the first.
  func finding(at url: URL, looksInside: Bool = false) async throws -> Finding {
    let failures = WebDAVFailures(url: url, action: action)
    var request = exchange.request(for: url)
    PropertyQuestion.ask(
      looksInside ? PropertyQuestion.listing : PropertyQuestion.resource, looksInside ? .members : .resource,
      by: &request
    )
    let (bytes, answer) = try await exchange.open(request)
    switch answer.statusCode {
    case 207: break
    case 404, 410:
      try await exchange.drop(bytes)
      return Finding(kind: .nothing)
    case 405, 501, 200..<300:
      try await exchange.drop(bytes)
      return Finding(kind: .unknown)
    default:
      try await exchange.drop(bytes)
      throw failures.refused(answer.statusCode)
    }
    guard let base = ResourcePath(of: answer.url ?? url) else { throw URLError(.badURL) }
    var reader = MultistatusReader(charset: answer.textEncodingName)
    var state = InquiryState(base: base)
    var count = 0
    do {
      for try await chunk in bytes.chunks {
        count += chunk.count
        guard count <= Self.largestAnswer else {
          throw XMLViolation.limit("an answer's length in bytes", Self.largestAnswer)
        }
        for resource in try reader.read(chunk) { state.take(resource) }
        if looksInside, let finding = state.early { return finding }
      }
      try reader.finish()
    } catch let violation as XMLViolation {
      throw failures.unreadable(violation)
    }
    guard let finding = try state.conclusion(failures) else {
      throw failures.unreadable(.otherDocument("it does not have the resource that it is about"))
    }
    return finding
  }
}
