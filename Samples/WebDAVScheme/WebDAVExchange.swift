import URLLoading

/// What a `dav` load asks of its server: the `http` request, and what is made of the answers.
struct WebDAVExchange {
  let url: URL
  let session: URLSession
  /// The same for `http`: method and fields are those of the `dav` request, the body is not in it.
  let request: URLRequest
  let forwarder: ChallengeForwarder
  private let original: URLRequest
  private let writer: AsyncURLProtocol.Writer

  init(_ original: URLRequest, _ writer: AsyncURLProtocol.Writer, _ instance: WebDAVProtocol) throws {
    guard let url = original.url, let session = writer.session,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { throw URLError(.badURL) }
    parts.scheme = url.scheme?.lowercased() == "davs" ? "https" : "http"
    // The session answers a challenge with what the URL says, at the load that the program made.
    (parts.user, parts.password) = (nil, nil)
    var request = original
    request.url = parts.url
    (request.httpBody, request.httpBodyStream) = (nil, nil)
    (self.url, self.session, self.request, self.original, self.writer) = (url, session, request, original, writer)
    forwarder = ChallengeForwarder(writer, instance)
  }

  // MARK: Answers

  /// Throws what a status means, so that programs need not know HTTP.
  func check(_ answer: URLResponse) throws {
    guard let answer = answer as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    switch answer.statusCode {
    case 200..<300: return
    case 401: throw failure(.userAuthenticationRequired, "The server wants a login for")
    case 404, 410: throw failure(.fileDoesNotExist, "The server has nothing at")
    case 409: throw failure(.fileDoesNotExist, "The server has no directory for")
    case 416: throw URLError.unsatisfiableRange(of: original, length: Self.length(in: answer))
    case 403 where answer.url?.hasDirectoryPath == true: throw isDirectory
    case 403: throw failure(.noPermissionsToReadFile, "The server does not let this user have")
    default: throw failure(.badServerResponse, "The server answered with status \(answer.statusCode) to")
    }
  }

  /// The head of a `dav` load. Length, range and validators are what resuming and random access go by.
  func response(_ answer: URLResponse) -> URLResponse {
    URLResponse(
      url: url, mimeType: answer.mimeType, expectedContentLength: answer.expectedContentLength,
      textEncodingName: answer.textEncodingName, contentRange: answer.contentRange, validators: answer.validators,
      acceptsByteRanges: answer.acceptsByteRanges)
  }

  var isDirectory: URLError { failure(.fileIsDirectory, "A directory is listed, not loaded:") }

  var isNotEmpty: URLError { failure(.cannotRemoveFile, "A directory that is not empty is not removed:") }

  private func failure(_ code: URLError.Code, _ reason: String) -> URLError {
    URLError(code, message: "\(reason) \(url.path(percentEncoded: false)).", url: url)
  }

  /// The number after the slash in `bytes */1000`.
  private static func length(in answer: HTTPURLResponse) -> Int64 {
    let field = answer.value(forHTTPHeaderField: "Content-Range") ?? ""
    return field.split(separator: "/").last.flatMap { Int64($0) } ?? 0
  }

  // MARK: Uploads

  /// Sends the body, wherever it is; `forwarder` reports how far it is.
  func store() async throws {
    let answer: URLResponse
    switch writer.uploadBody {
    case .data(let data): (_, answer) = try await session.upload(for: request, from: data, delegate: forwarder)
    case .file(let file, _): (_, answer) = try await session.upload(for: request, fromFile: file, delegate: forwarder)
    case .stream(let stream, let length):
      var streamed = request
      streamed.httpBodyStream = stream
      if let length { streamed.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
      (_, answer) = try await session.data(for: streamed, delegate: forwarder)
    case nil: return
    }
    try check(answer)
  }

  // MARK: Listings

  /// The largest answer that is read, in bytes: it is parsed as a whole.
  private static let largestListing = 32 << 20

  func entries() async throws -> [URLDirectoryEntry] {
    var asking = request
    asking.httpMethod = "PROPFIND"
    asking.setValue("1", forHTTPHeaderField: "Depth")
    asking.setValue("application/xml; charset=utf-8", forHTTPHeaderField: "Content-Type")
    asking.httpBody = Data(Multistatus.question.utf8)
    let (bytes, answer) = try await session.bytes(for: asking, delegate: forwarder)
    try check(answer)
    var text = Data()
    for try await chunk in bytes.chunks {
      text.append(chunk)
      guard text.count <= Self.largestListing else { throw URLError(.dataLengthExceedsMaximum) }
    }
    let resources = try Multistatus.resources(in: text, of: url)
    // The first is the resource itself, in every order that servers have: the one with the shortest path.
    guard let own = resources.min(by: { $0.path.utf8.count < $1.path.utf8.count }) else {
      throw failure(.cannotParseResponse, "The server listed nothing for")
    }
    guard own.isDirectory else { throw URLError.notDirectory(url) }
    return resources.filter { $0.path != own.path }.compactMap { $0.entry(in: url) }
  }
}
