/// The version of a resource that is being read.
struct ResourceVersion: Sendable {
  enum Verdict {
    /// The bytes that were asked for, of this version.
    case fits
    /// Of another version, or an unknown one: nothing more can be read.
    case changed(URLError)
    /// No bytes; a later request may succeed.
    case refused(URLError)
  }

  let url: URL
  let length: Int64
  let validators: ResourceValidators

  /// Judges the answer to a request for some bytes.
  func judge(_ response: URLResponse, asked: Range<Int64>) -> Verdict {
    let expectation = RangeExpectation(
      range: .positions(first: asked.lowerBound, last: asked.upperBound - 1), completeLength: length,
      validators: validators)
    switch expectation.verdict(on: response) {
    case .continues: return .fits
    case .replaces: return .changed(change("the server sent the whole where a part of this version was asked for"))
    case .unsatisfiable:
      return .changed(change("the server says that the range \(Self.name(asked)) lies outside of it"))
    case .contradicts(let contradiction):
      switch contradiction.kind {
      case .form: return .refused(Self.error(contradiction, url))
      case .unasked, .range, .version: return .changed(change(contradiction.description))
      }
    case .other(let status): return .refused(Self.refusal(status, url))
    }
  }

  static func error(_ contradiction: RangeExpectation.Contradiction, _ url: URL) -> URLError {
    URLError(
      .badServerResponse,
      message: "The answer cannot be used: \(contradiction).", url: url)
  }

  private func change(_ what: String) -> URLError {
    URLError(
      .resourceUnavailable, message: "\(url.redactedDescription) changed while it was read: \(what). Open it again.",
      url: url)
  }

  static func name(_ bytes: Range<Int64>) -> String { "\(bytes.lowerBound) to \(bytes.upperBound - 1)" }

  /// The error for a status that brings no part of the resource.
  static func refusal(_ status: Int, _ url: URL) -> URLError {
    let code: URLError.Code =
      switch status {
      case 401, 407: .userAuthenticationRequired
      case 403: .noPermissionsToReadFile
      case 404, 410: .fileDoesNotExist
      default: .badServerResponse
      }
    let words = HTTPURLResponse.localizedString(forStatusCode: status)
    return URLError(
      code, message: "The server answered with status \(status) (\(words)).", url: url)
  }
}
