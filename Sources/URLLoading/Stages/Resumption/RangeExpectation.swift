internal import URLLoadingHTTPSemantics

/// The requested part of a resource, and what earlier responses said about it: decides whether a response continues,
/// replaces or contradicts the bytes that are there.
///
/// Resumed downloads, random access and the command use it, for answers of any scheme. It reads the head alone: the caller checks that
/// the body of an answer that continues has as many bytes as its range.
///
/// ```swift
/// let expectation = RangeExpectation(range: .from(500), completeLength: 1000, validators: first.validators)
/// switch expectation.verdict(on: response) {
/// case .continues(let range): append(range.length)
/// case .replaces: beginAnew()
/// case .contradicts(let contradiction): print(contradiction)
/// case .unsatisfiable, .other: break
/// }
/// ```
public struct RangeExpectation: Sendable, Hashable {
  /// The part that the request asked for; nil where it had no `Range` field.
  public var range: ByteRange?

  /// The length of the whole resource in bytes by earlier answers; nil where it is not known.
  public var completeLength: Int64?

  /// The validators of the version that is there; none where nothing is there yet.
  public var validators: ResourceValidators

  /// An expectation.
  ///
  /// - Parameters:
  ///   - range: the part that the request asks for; nil for a request without a `Range` field.
  ///   - completeLength: the length of the whole in bytes, if it is known already.
  ///   - validators: those of the version that is there.
  public init(
    range: ByteRange?, completeLength: Int64? = nil, validators: ResourceValidators = ResourceValidators()
  ) {
    self.range = range
    self.completeLength = completeLength
    self.validators = validators
  }

  /// How an answer relates to the request.
  @frozen public enum Verdict: Sendable, Hashable {
    /// Exactly the part that was asked for, of the version that is known: as many bytes follow as the range has. A server that sends it
    /// with status 200 has to tell its version by a strong validator.
    case continues(ContentRange)
    /// The whole follows, from its first byte on, of the known version or of another one: the bytes that are there are replaced.
    case replaces
    /// A part that was not asked for, of another version, or in another coding: it does not fit the bytes that are there.
    case contradicts(Contradiction)
    /// Nothing follows, since the range begins after the end of the resource (RFC 9110, section 15.5.17), which has so many
    /// bytes; nil where the answer does not say.
    case unsatisfiable(completeLength: Int64?)
    /// Another status of HTTP: what follows is no part of the resource.
    case other(status: Int)
  }

  /// Why a part does not fit.
  public struct Contradiction: Sendable, Hashable, CustomStringConvertible {
    /// What does not fit.
    @frozen public enum Kind: Sendable, Hashable {
      /// No part was asked for.
      case unasked
      /// It is another part, or does not say which.
      case range
      /// It is of another version, or of an unknown one.
      case version
      /// It is coded, or announces a body of another length than its range has.
      case form
    }

    /// What does not fit.
    public let kind: Kind

    /// What does not fit, in words: a clause without a full stop.
    public let description: String

    init(_ kind: Kind, _ description: String) {
      self.kind = kind
      self.description = description
    }
  }

  /// Judges an answer by its head.
  public func verdict(on response: URLResponse) -> Verdict {
    let http = response as? HTTPURLResponse
    switch http?.statusCode {
    // Without a status, a content range makes it a part.
    case nil: if response.contentRange == nil { return .replaces }
    case 206: break
    case 200, 203: return http.flatMap(unmarkedVerdict) ?? .replaces
    case 416: return .unsatisfiable(completeLength: http?.unsatisfiedLength)
    case let status?: return .other(status: status)
    }
    guard let range else {
      // A part is the answer to a request for one, and to no other (RFC 9110, section 15.3.7).
      return .contradicts(Contradiction(.unasked, "it is a part, and no part was asked for"))
    }
    guard let part = response.contentRange else {
      return .contradicts(Contradiction(.range, Self.missingRangeReason(http)))
    }
    let found =
      contradiction(of: part, to: range) ?? versionContradiction(part, response)
      ?? Self.formContradiction(part, response)
    return found.map { .contradicts($0) } ?? .continues(part)
  }

  /// The verdict on a part under the status of the whole; nil for the whole.
  private func unmarkedVerdict(_ response: HTTPURLResponse) -> Verdict? {
    guard let range, let unmarked = response.unmarkedPart else { return nil }
    guard case .bytes(let part) = unmarked else {
      return .contradicts(Contradiction(.range, Self.missingRangeReason(response)))
    }
    let found =
      contradiction(of: part, to: range) ?? unmarkedContradiction(part, response)
      ?? versionContradiction(part, response) ?? Self.formContradiction(part, response)
    return found.map { .contradicts($0) } ?? .continues(part)
  }

  /// Why it is not known which part follows.
  private static func missingRangeReason(_ response: HTTPURLResponse?) -> String {
    if response?.mimeType == "multipart/byteranges" { return "it has several parts, and one was asked for" }
    guard let field = response?.fields["Content-Range"] else {
      return "it does not say which part it is"
    }
    return "its Content-Range \"\(field)\" names no bytes"
  }

  /// A server may send less than was asked for (RFC 9110, section 15.3.7), which does not fit then.
  private func contradiction(of part: ContentRange, to range: ByteRange) -> Contradiction? {
    // A suffix ends at the end of the resource. For other ranges that end early the length is not known.
    let isSuffix = if case .suffix = range { true } else { false }
    let length = part.completeLength ?? completeLength ?? (isSuffix ? part.lastByte + 1 : nil)
    let mismatch = Contradiction(
      .range, "\"\(part.fieldValue)\" is not the range \"\(range.fieldValue)\" that was asked for")
    guard let length else {
      switch range {
      case .positions(part.firstByte, part.lastByte): return nil
      case .from(part.firstByte):
        return Contradiction(.range, "\"\(part.fieldValue)\" does not tell whether it goes to the end")
      case .positions, .from, .suffix: return mismatch
      }
    }
    guard case .partial(let right) = range.selection(ofLength: length), right.firstByte == part.firstByte,
      right.lastByte == part.lastByte
    else { return mismatch }
    return nil
  }

  /// A part with a content coding, or with another length than its range, does not fit.
  private static func formContradiction(_ part: ContentRange, _ response: URLResponse) -> Contradiction? {
    if let coding = (response as? HTTPURLResponse)?.contentCoding {
      return Contradiction(.form, "it is a part of a form that is coded with \(coding)")
    }
    let announced = response.expectedContentLength
    guard announced >= 0, announced != part.length else { return nil }
    return Contradiction(.form, "\"\(part.fieldValue)\" announces a body of \(announced) bytes")
  }
}
