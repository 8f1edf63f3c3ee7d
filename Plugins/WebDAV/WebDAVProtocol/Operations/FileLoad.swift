import URLLoading

/// Loads a file, or a part of it.
struct FileLoad {
  let exchange: Exchange
  let request: URLRequest

  private var failures: WebDAVFailures { WebDAVFailures(url: exchange.url, action: .load) }

  func run() async throws {
    guard !exchange.url.hasDirectoryPath else { throw failures.isDirectory }
    // Range and If-Range are among the request's fields, and the server looks at them. Lengths and ranges are the file's, not a coding's.
    var asking = exchange.request()
    if asking.value(forHTTPHeaderField: "Accept-Encoding") == nil {
      asking.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
    // Of several ranges there would be a body of another type.
    if let field = asking.value(forHTTPHeaderField: "Range"), ByteRange(fieldValue: field) == nil {
      for name in ["Range", "If-Range"] { asking.setValue(nil, forHTTPHeaderField: name) }
    }
    let (bytes, answer) = try await exchange.open(asking)
    try await check(answer, bytes)
    exchange.responds()
    try await exchange.writer.respond(response(answer))
    for try await chunk in bytes.chunks { try await exchange.writer.write(chunk) }
    await exchange.settle()
  }

  private func check(_ answer: HTTPURLResponse, _ bytes: URLSession.AsyncBytes) async throws {
    // Servers redirect a directory's name without a slash to that with one, and may have a page for it.
    if let place = answer.url, place.hasDirectoryPath, place.lastPathComponent == exchange.url.lastPathComponent {
      throw failures.isDirectory
    }
    switch answer.statusCode {
    case 202:
      throw failures.refused(202)
    case 200..<300:
      if try await isPageOfDirectory(answer) { throw failures.isDirectory }
    case 416:
      throw URLError.unsatisfiableRange(of: request, length: Self.length(in: answer))
    case let status:
      try await exchange.drop(bytes)
      throw failures.refused(status)
    }
  }

  /// Some servers have a page for a directory at its name without a slash, too. It has neither a tag nor a date, as files have.
  private func isPageOfDirectory(_ answer: HTTPURLResponse) async throws -> Bool {
    guard answer.mimeType == "text/html", answer.validators.isEmpty else { return false }
    do {
      return try await Inquiry(exchange: exchange, action: .load).finding(at: exchange.url).isDirectory
    } catch is URLError {
      // A server that does not answer such a question has no directories.
      try Task.checkCancellation()
      return false
    }
  }

  /// The head of a `dav` load. Length, range and validators are what resuming and random access go by.
  private func response(_ answer: HTTPURLResponse) -> URLResponse {
    URLResponse(
      url: exchange.url, mimeType: answer.mimeType, expectedContentLength: answer.expectedContentLength,
      textEncodingName: answer.textEncodingName, contentRange: answer.contentRange, validators: answer.validators,
      acceptsByteRanges: answer.acceptsByteRanges)
  }

  /// The number after the slash in `bytes */1000`.
  private static func length(in answer: HTTPURLResponse) -> Int64 {
    let field = answer.value(forHTTPHeaderField: "Content-Range") ?? ""
    return field.split(separator: "/").last.flatMap { Int64($0) } ?? 0
  }
}
