/// The version of a resource that is being read, and whether later answers are of the same one.
struct ResourceVersion: Sendable {
  /// What a later answer is.
  enum Verdict {
    /// The bytes that were asked for, of this version.
    case fits
    /// Of another version, or nobody can tell: nothing more can be read.
    case changed(URLError)
    /// No bytes. Others may come another time.
    case refused(URLError)
  }

  let url: URL
  let length: Int64
  let validators: ResourceValidators

  /// Judges the answer to a request for some bytes.
  func judge(_ response: URLResponse, asked: Range<Int64>) -> Verdict {
    if let http = response as? HTTPURLResponse {
      switch http.statusCode {
      case 206: break
      case 200, 203: return .changed(change("the server sent the whole where a part of this version was asked for"))
      case 416: return .changed(change("the server says that the range \(Self.name(asked)) lies outside of it"))
      default: return .refused(Self.refusal(http, url))
      }
    }
    guard let range = response.contentRange else {
      return .changed(change("the answer does not say which part it is"))
    }
    guard range.firstByte == asked.lowerBound, range.lastByte == asked.upperBound - 1 else {
      return .changed(change("\(range.fieldValue) was the answer to a request for the bytes \(Self.name(asked))"))
    }
    if let difference = difference(response.validators, completeLength: range.completeLength) {
      return .changed(change(difference))
    }
    if let contradiction = Self.contradiction(response, range, url) { return .refused(contradiction) }
    return .fits
  }

  /// The error for a part whose body is announced with another length than it has; nil for none.
  static func contradiction(_ response: URLResponse, _ range: ContentRange, _ url: URL) -> URLError? {
    let announced = response.expectedContentLength
    guard announced >= 0, announced != range.length else { return nil }
    return URLError(
      .badServerResponse,
      message:
        "The answer \"\(range.fieldValue)\" announces a body of \(announced) bytes. URL: \(url.redactedDescription).",
      url: url)
  }

  /// What tells an answer's version from this one; nil for nothing.
  private func difference(_ new: ResourceValidators, completeLength: Int64?) -> String? {
    if let completeLength {
      guard completeLength == length else { return "it had \(length) bytes, and now has \(completeLength)" }
    } else if !validators.isStrong {
      return "an answer does not tell the length of the whole, and nothing else tells versions apart"
    }
    if let tag = validators.entityTag {
      guard let newTag = new.entityTag else {
        // A range repeats the entity tag (RFC 9110, section 15.3.7).
        return validators.isStrong ? "an answer lacks the entity tag \(tag)" : nil
      }
      guard tag == newTag else { return "its entity tag was \(tag), and is now \(newTag)" }
      if validators.isStrong { return nil }
    }
    // A date need not be repeated by the answer to a request that had it as its condition (RFC 9110, section 15.3.7).
    guard let date = validators.lastModified, let newDate = new.lastModified else { return nil }
    return Self.second(date) == Self.second(newDate)
      ? nil : "it was last modified at \(HTTPDate.string(from: date)), and now at \(HTTPDate.string(from: newDate))"
  }

  private func change(_ what: String) -> URLError {
    URLError(
      .resourceUnavailable, message: "\(url.redactedDescription) changed while it was read: \(what). Open it again.",
      url: url)
  }

  private static func second(_ date: Date) -> Double { date.timeIntervalSince1970.rounded(.down) }

  static func name(_ bytes: Range<Int64>) -> String { "\(bytes.lowerBound) to \(bytes.upperBound - 1)" }

  /// The error for a status that brings no part of the resource.
  static func refusal(_ response: HTTPURLResponse, _ url: URL) -> URLError {
    let code: URLError.Code =
      switch response.statusCode {
      case 401, 407: .userAuthenticationRequired
      case 403: .noPermissionsToReadFile
      case 404, 410: .fileDoesNotExist
      default: .badServerResponse
      }
    let words = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
    return URLError(
      code,
      message: "The server answered with status \(response.statusCode) (\(words)). URL: \(url.redactedDescription).",
      url: url)
  }
}
