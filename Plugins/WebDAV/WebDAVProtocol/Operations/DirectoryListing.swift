import URLLoading

/// Lists a directory, or with the field `Depth: infinity` all that is below it.
struct DirectoryListing {
  let exchange: Exchange
  let request: URLRequest

  private var failures: WebDAVFailures { WebDAVFailures(url: exchange.url, action: .list) }

  func run() async throws {
    let depth = try depth()
    var asking = exchange.request()
    PropertyQuestion.ask(PropertyQuestion.listing, depth, by: &asking)
    let (bytes, answer) = try await exchange.open(asking)
    guard answer.statusCode == 207 else {
      try await exchange.drop(bytes)
      throw refused(answer.statusCode, depth)
    }
    guard let base = ResourcePath(of: answer.url ?? exchange.url) else { throw URLError(.badURL) }
    var reader = MultistatusReader(charset: answer.textEncodingName)
    var contents = DirectoryContents(
      of: exchange.url, at: base, isDeep: depth == .everything, limit: exchange.configuration.maximumEntries)
    do {
      for try await chunk in bytes.chunks {
        let entries = try contents.entries(of: try reader.read(chunk), failures)
        guard !entries.isEmpty else { continue }
        exchange.responds()
        try await exchange.writer.list(entries)
      }
      try reader.finish()
      try contents.finish(failures)
    } catch let violation as XMLViolation {
      throw failures.unreadable(violation)
    }
    await exchange.settle()
    exchange.responds()
    // An empty directory needs a response, too.
    try await exchange.writer.list([])
  }

  /// RFC 4918, section 10.2.
  private func depth() throws(URLError) -> PropertyQuestion.Depth {
    switch request.value(forHTTPHeaderField: "Depth")?.trimmingCharacters(in: .whitespaces).lowercased() {
    case nil, "1": return .members
    case "infinity": return .everything
    case let other?:
      throw failures.error(.unsupportedURL, "Directories are listed with a Depth of 1 or infinity, not \"\(other)\".")
    }
  }

  private func refused(_ status: Int, _ depth: PropertyQuestion.Depth) -> URLError {
    switch status {
    // RFC 4918, section 9.1.1: propfind-finite-depth.
    case 403 where depth == .everything:
      failures.error(
        .noPermissionsToReadFile,
        "The server does not list \(exchange.url.redactedDescription) with all that is below it: list one directory after another (403)."
      )
    case 200..<300:
      failures.error(
        .unsupportedURL,
        "The server's answer about \(exchange.url.redactedDescription) has the status \(status): it does not speak WebDAV there."
      )
    default: failures.refused(status)
    }
  }
}
