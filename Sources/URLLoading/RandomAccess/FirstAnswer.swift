/// The answer to the first request.
enum FirstAnswer {
  /// A part of a resource of so many bytes.
  case part(Range<Int64>, length: Int64)
  /// All of it follows; the length, where it is known.
  case whole(Int64?)
  /// The resource is empty.
  case empty
  /// A part of a coded form: only the whole can be decoded.
  case coded
  /// The server may have the resource, but not the range that was asked for.
  case refusedRange
  case refused(URLError)

  /// Judges a response.
  /// - Parameters:
  ///   - asked: the range that the request asked for: some bytes from the first on, or a suffix; nil for the whole.
  ///   - url: the resource, for messages.
  init(_ response: URLResponse, asked: ByteRange?, url: URL) {
    switch RangeExpectation(range: asked).verdict(on: response) {
    case .continues(let range):
      // The last bytes end with the last one.
      let end: Int64? = if case .suffix = asked { range.lastByte + 1 } else { nil }
      guard let length = range.completeLength ?? end else {
        let reason = "The answer \"\(range.fieldValue)\" does not tell the length of the whole."
        self = .refused(URLError(.badServerResponse, message: reason, url: url))
        return
      }
      self = .part(range.firstByte..<range.lastByte + 1, length: length)
    case .replaces:
      let length = response.expectedContentLength
      self = .whole(length < 0 ? nil : length)
    case .unsatisfiable(completeLength: 0): self = .empty
    case .unsatisfiable where Self.fitsAny(asked): self = .refusedRange
    case .other(400) where Self.fitsAny(asked), .other(501) where Self.fitsAny(asked): self = .refusedRange
    case .unsatisfiable: self = .refused(ResourceVersion.refusal(416, url))
    case .contradicts(let contradiction):
      // Some servers take the last bytes for the first.
      if contradiction.kind == .range, case .suffix = asked {
        self = .refusedRange
        return
      }
      let isCoded = contradiction.kind == .form && (response as? HTTPURLResponse)?.contentCoding != nil
      self = isCoded ? .coded : .refused(ResourceVersion.error(contradiction, url))
    case .other(let status): self = .refused(ResourceVersion.refusal(status, url))
    }
  }

  /// Whether every resource that is not empty has such a range, so that a refusal says nothing of the resource.
  private static func fitsAny(_ range: ByteRange?) -> Bool {
    switch range {
    case .suffix, .positions(first: 0, last: _), .from(0): true
    case .positions, .from, nil: false
    }
  }
}
