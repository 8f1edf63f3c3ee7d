/// What the answer to the first request is.
enum FirstAnswer {
  /// A part of a resource of so many bytes.
  case part(Range<Int64>, length: Int64)
  /// All of it follows; the length, where it is known.
  case whole(Int64?)
  /// There are no bytes.
  case empty
  case refused(URLError)

  /// Judges a response.
  /// - Parameters:
  ///   - asked: the range that the request asked for: some bytes from the first on, or a suffix.
  ///   - url: the resource, for messages.
  init(_ response: URLResponse, asked: ByteRange, url: URL) {
    if let http = response as? HTTPURLResponse {
      switch http.statusCode {
      case 206: break
      case 200, 203:
        self = .whole(Self.known(response.expectedContentLength))
        return
      case 416 where http.value(forHTTPHeaderField: "Content-Range").flatMap(ContentRange.unsatisfiedLength) == 0:
        self = .empty
        return
      default:
        self = .refused(ResourceVersion.refusal(http, url))
        return
      }
    }
    guard let range = response.contentRange else {
      self =
        response is HTTPURLResponse
        ? .refused(Self.error("A 206 answer does not say which part it is", url))
        : .whole(Self.known(response.expectedContentLength))
      return
    }
    guard let length = range.completeLength ?? Self.length(range, asked: asked) else {
      self = .refused(Self.error("The answer \"\(range.fieldValue)\" does not tell the length of the whole", url))
      return
    }
    guard case .partial(let right) = asked.selection(ofLength: length), right.firstByte == range.firstByte,
      right.lastByte == range.lastByte
    else {
      self = .refused(
        Self.error("\"\(range.fieldValue)\" was the answer to a request for the range \"\(asked.fieldValue)\"", url))
      return
    }
    if let contradiction = ResourceVersion.contradiction(response, range, url) {
      self = .refused(contradiction)
      return
    }
    self = .part(range.firstByte..<range.lastByte + 1, length: length)
  }

  /// The length of the whole where the sender does not tell it: the last bytes end with the last one. Of a range that is
  /// shorter than it was asked for nobody knows whether it ends there.
  private static func length(_ range: ContentRange, asked: ByteRange) -> Int64? {
    if case .suffix = asked { range.lastByte + 1 } else { nil }
  }

  private static func known(_ length: Int64) -> Int64? { length < 0 ? nil : length }

  private static func error(_ message: String, _ url: URL) -> URLError {
    URLError(.badServerResponse, message: "\(message). URL: \(url.redactedDescription).", url: url)
  }
}
