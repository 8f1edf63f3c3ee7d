import URLLoading

/// What a request does to resources beside loading and storing one: `DELETE`, `MKCOL`, `MOVE` and `COPY` (RFC 4918, section 9).
///
/// By themselves servers do more than is named: `DELETE` removes a directory with all that is in it, and so does a `MOVE` or `COPY` with what
/// is at its target. So the server is asked first what is there. Between the answer and the change others may add something, which is lost.
struct ServerChange {
  let exchange: Exchange
  let request: URLRequest

  private var url: URL { exchange.url }

  func run() async throws {
    try Self.refuseQuery(of: url)
    do {
      try await carryOut()
    } catch let error as Refused {
      throw error.reason
    }
    try await exchange.respondWithNothing()
  }

  private func carryOut() async throws {
    switch request.httpMethod {
    case "DELETE": try await remove()
    case "MKCOL": try await makeDirectory()
    case "COPY": try await relocate(.copy)
    default: try await relocate(.move)
    }
  }

  /// What is changed is named in full: a question mark that was not written %3F would name another file.
  static func refuseQuery(of url: URL) throws(URLError) {
    guard url.query(percentEncoded: true) == nil else {
      throw URLError(
        .badURL, message: "\(url.redactedDescription) has a query; a question mark in a file's name is written %3F.",
        url: url
      )
    }
  }

  /// The URL with a slash at its end, as servers want it of directories.
  static func directory(_ url: URL) -> URL {
    guard !url.path(percentEncoded: true).hasSuffix("/"),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    parts.percentEncodedPath += "/"
    parts.fragment = nil
    return parts.url ?? url
  }

  // MARK: Removing

  private func remove() async throws {
    let failures = WebDAVFailures(url: url, action: .remove)
    let removesTree =
      request.value(forHTTPHeaderField: "Depth")?.trimmingCharacters(in: .whitespaces).lowercased() == "infinity"
    let finding = try await Inquiry(exchange: exchange, action: .remove).finding(at: url, looksInside: !removesTree)
    switch finding.kind {
    case .nothing: throw failures.refused(404)
    case .directory(isEmpty: false) where !removesTree:
      throw failures.error(
        .cannotRemoveFile,
        "Cannot remove \(url.redactedDescription): the directory is not empty. The field \"Depth: infinity\" removes it with all that is in it."
      )
    case .unknown where !removesTree:
      throw failures.error(
        .unsupportedURL,
        "Cannot remove \(url.redactedDescription): the server does not say whether it is a directory with something in it. The field \"Depth: infinity\" removes it with all that is in it."
      )
    case .directory: try await send(exchange.request(for: Self.directory(url)), .remove)
    case .file, .unknown: try await send(exchange.request(), .remove)
    }
  }

  private func makeDirectory() async throws {
    do {
      try await send(exchange.request(for: Self.directory(url)), .makeDirectory)
    } catch let error as Refused where [400, 403, 409].contains(error.status) {
      // Apache says so where a file is of that name.
      let finding = try await Inquiry(exchange: exchange, action: .makeDirectory).finding(at: url)
      guard finding.kind != .nothing, finding.kind != .unknown else { throw error.reason }
      throw WebDAVFailures(url: url, action: .makeDirectory).refused(405)
    }
  }

  // MARK: Moving and copying

  private func relocate(_ action: WebDAVFailures.Action) async throws {
    let failures = WebDAVFailures(url: url, action: action)
    let code: URLError.Code = action == .move ? .cannotMoveFile : .cannotCreateFile
    let target = try Destination(of: request, from: url)
    guard let path = ResourcePath(of: url) else { throw failures.error(.badURL, "The path leads above the root.") }
    func refuse(_ reason: String) -> URLError {
      failures.error(
        code,
        "Cannot \(action == .move ? "move" : "copy") \(url.redactedDescription) to \(target.url.redactedDescription): \(reason)."
      )
    }
    guard !path.isSame(as: target.path) else { throw refuse("the target is the same") }
    guard target.path.names(below: path) == nil else { throw refuse("the target is in it") }
    let replaces = try replaces(failures)
    let inquiry = Inquiry(exchange: exchange, action: action)
    let source = try await inquiry.finding(at: url)
    guard source.kind != .nothing else { throw failures.refused(404) }
    if replaces {
      let present = try await inquiry.finding(at: target.url, looksInside: true)
      switch (source.kind, present.kind) {
      case (_, .nothing), (.file, .file), (.directory, .directory(isEmpty: true)): break
      case (.directory, .directory): throw refuse("the directory at the target is not empty")
      case (_, .directory): throw refuse("a directory is not replaced by a file")
      case (.directory, .file): throw refuse("a file is not replaced by a directory")
      default:
        throw failures.error(
          .unsupportedURL,
          "The server does not say what would be replaced at \(target.url.redactedDescription). The field \"Overwrite: F\" replaces nothing."
        )
      }
    }
    var change = exchange.request(for: source.isDirectory ? Self.directory(url) : nil)
    change.setValue(target.field(isDirectory: source.isDirectory), forHTTPHeaderField: "Destination")
    change.setValue(replaces ? "T" : "F", forHTTPHeaderField: "Overwrite")
    // Of the source it would be asked.
    change.setValue(nil, forHTTPHeaderField: "If-None-Match")
    do {
      try await send(change, action)
    } catch let error as Refused where [403, 404, 500].contains(error.status) {
      // Apache says so where the directory for it is missing.
      let finding = try await inquiry.finding(at: target.url.deletingLastPathComponent())
      throw finding.kind == .nothing ? failures.refused(409) : error.reason
    }
  }

  /// Whether something that is there already may be replaced.
  private func replaces(_ failures: WebDAVFailures) throws(URLError) -> Bool {
    if let condition = request.value(forHTTPHeaderField: "If-None-Match") {
      guard condition.trimmingCharacters(in: .whitespaces) == "*" else {
        throw failures.error(.unsupportedURL, "Of If-None-Match, \"*\" alone is about a target, not \"\(condition)\".")
      }
      return false
    }
    switch request.value(forHTTPHeaderField: "Overwrite")?.trimmingCharacters(in: .whitespaces).lowercased() {
    case nil, "t": return true
    case "f": return false
    case let other?:
      throw failures.error(.unsupportedURL, "Overwrite is T or F (RFC 4918, section 10.6), not \"\(other)\".")
    }
  }

  // MARK: Answers

  /// The server's status, which may mean more than its number says.
  private struct Refused: Error {
    let status: Int
    let reason: URLError
  }

  private func send(_ request: URLRequest, _ action: WebDAVFailures.Action) async throws {
    let failures = WebDAVFailures(url: url, action: action)
    let (bytes, answer) = try await exchange.open(request)
    switch answer.statusCode {
    case 207: try await check(bytes, answer, failures)
    case 200, 201, 203..<207, 208..<300: try await exchange.drop(bytes)
    case let status:
      try await exchange.drop(bytes)
      throw Refused(status: status, reason: failures.refused(status))
    }
  }

  /// Something that belongs to it could not be done (RFC 4918, sections 9.6.1, 9.8.5 and 9.9.4).
  private func check(_ bytes: URLSession.AsyncBytes, _ answer: HTTPURLResponse, _ failures: WebDAVFailures) async throws
  {
    guard let base = ResourcePath(of: url) else { throw URLError(.badURL) }
    var reader = MultistatusReader(charset: answer.textEncodingName)
    var partial = PartialFailure()
    var count = 0
    do {
      for try await chunk in bytes.chunks {
        count += chunk.count
        guard count <= Inquiry.largestAnswer else {
          throw XMLViolation.limit("an answer's length in bytes", Inquiry.largestAnswer)
        }
        for resource in try reader.read(chunk) { partial.take(resource) }
      }
      try reader.finish()
    } catch let violation as XMLViolation {
      throw failures.unreadable(violation, isChange: true)
    }
    guard let (status, reference) = partial.first else { return }
    let item = ResourcePath(reference: reference, in: base)?.url(on: url)
    throw failures.partly(status, of: item)
  }
}
