import URLLoading

/// Stores the body of an upload.
struct FileStore {
  let exchange: Exchange
  let request: URLRequest
  let body: URLUploadBody

  private var failures: WebDAVFailures { WebDAVFailures(url: exchange.url, action: .store) }
  private var inquiry: Inquiry { Inquiry(exchange: exchange, action: .store) }

  func run() async throws {
    try ServerChange.refuseQuery(of: exchange.url)
    guard !exchange.url.hasDirectoryPath else {
      throw failures.error(.fileIsDirectory, "Cannot store \(exchange.url.redactedDescription): it names a directory.")
    }
    try await checkConditions()
    let answer = try await exchange.store(exchange.request(), body)
    switch answer.statusCode {
    case 200, 201, 203..<207, 208..<300: return try await exchange.respondWithNothing()
    case 405, 409:
      // Servers say so of a directory as well (RFC 4918, sections 9.7.1 and 9.7.2).
      if try await inquiry.finding(at: exchange.url).isDirectory {
        throw failures.error(.fileIsDirectory, "Cannot store \(exchange.url.redactedDescription): it is a directory.")
      }
      throw failures.refused(answer.statusCode)
    default: throw failures.refused(answer.statusCode)
    }
  }

  /// nginx tells it of a file that is loaded alone.
  private func tag(_ finding: Finding) async throws -> String? {
    if let tag = finding.properties.entityTag { return tag }
    return try await HeadQuestion(exchange: exchange).answer().validators.entityTag
  }

  /// The server gets the conditions, too, and what it does by them is one step. But nginx has stored the body when it looks at them.
  private func checkConditions() async throws {
    let wantsNothing = request.value(forHTTPHeaderField: "If-None-Match")?.trimmingCharacters(in: .whitespaces) == "*"
    let tags = request.value(forHTTPHeaderField: "If-Match")?.trimmingCharacters(in: .whitespaces)
    guard wantsNothing || tags != nil else { return }
    let finding = try await inquiry.finding(at: exchange.url)
    switch (finding.kind, tags) {
    case (.unknown, _): return
    case (.nothing, nil): return
    case (.nothing, _?): throw failures.refused(412)
    case (_, _) where wantsNothing: throw failures.refused(412)
    case (_, "*"?): return
    case (_, let tags?):
      guard let tag = try await tag(finding) else { return }
      // A weak one matches none (RFC 9110, section 13.1.1).
      guard tag.hasPrefix("\""),
        tags.split(separator: ",").contains(where: { $0.trimmingCharacters(in: .whitespaces) == tag })
      else { throw failures.refused(412) }
    case (_, nil): return
    }
  }
}
