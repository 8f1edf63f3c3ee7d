internal import URLLoadingBase
internal import URLLoadingHTTPSemantics

/// A download that goes on from an earlier one: asks for the rest, and says what a response is of that.
struct ResumptionStage: Sendable {
  /// What an earlier download has left; nil for one that begins, or has started over.
  @Boxed private(set) var data: ResumeData?

  init(_ data: ResumeData?) {
    self.data = data
  }

  // MARK: The request

  /// Asks for what the partial file lacks.
  /// - Parameter fileLength: opens the file at a path, and says how many bytes it has.
  /// - Returns: the offset that was asked for; nil when the whole is loaded.
  func ask(_ request: inout URLRequest, fileLength: (_ path: String) -> Int64) -> Int64? {
    guard let data, let validator = data.validators.ifRangeValue else { return nil }
    let length = fileLength(data.localPath)
    // A file that has every byte asks for its last one again, so that the validator is checked all the same.
    let whole = data.expectedTotalLength
    let offset = whole > 0 ? min(length, whole - 1) : length
    guard offset > 0 else { return nil }
    request.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
    request.setValue(validator, forHTTPHeaderField: "If-Range")
    return offset
  }

  /// Takes back what was asked for, as a redirect brings it along.
  static func withdraw(from request: inout URLRequest) {
    request.setValue(nil, forHTTPHeaderField: "Range")
    request.setValue(nil, forHTTPHeaderField: "If-Range")
  }

  // MARK: The response

  /// What a response is of the file.
  /// - Parameter offset: what was asked for.
  func verdict(on response: URLResponse, askedAt offset: Int64?) -> RangeExpectation.Verdict {
    RangeExpectation(data, at: offset).verdict(on: response)
  }

  /// The length of the whole that a part is of; -1 where that is not known.
  func completeLength(of range: ContentRange) -> Int64 { range.completeLength ?? data?.expectedTotalLength ?? -1 }

  /// The file is of another version: the whole is loaded.
  mutating func startOver() { data = nil }

  // MARK: The end

  /// What a later download needs to continue; nil where this one cannot be continued.
  /// - Parameters:
  ///   - url: what was loaded, after redirects.
  ///   - original: the request of the task.
  ///   - offset: what was asked for.
  ///   - file: the path and the length of the partial file.
  ///   - missing: what the earlier download had, and this one lacks.
  ///   - withoutFields: the header fields are kept elsewhere, those that are withheld as well.
  func resumeData(
    after response: URLResponse, of url: URL, for original: URLRequest, askedAt offset: Int64?,
    file: (path: String, length: Int64), lacking missing: (fields: [String], user: Bool), withoutFields: Bool
  ) -> ResumeData? {
    let http = response as? HTTPURLResponse
    // The user's own range is not the whole resource: the offsets of its bytes in the partial file differ.
    guard original.value(forHTTPHeaderField: "Range") == nil, http?.contentCoding == nil,
      // Each answer has other parts.
      http?.replacedPartBoundary == nil
    else { return nil }
    let validators: ResourceValidators
    let total: Int64
    switch verdict(on: response, askedAt: offset) {
    case .continues(let range):
      // A range need not repeat the date that was the condition for it (RFC 9110, section 15.3.7).
      validators = data?.validators ?? response.validators
      total = completeLength(of: range)
    case .replaces:
      guard response.acceptsByteRanges else { return nil }
      validators = response.validators
      total = response.expectedContentLength
    case .contradicts, .unsatisfiable, .other: return nil
    }
    // What a proxy has changed on the way has the validators of what it was (RFC 9110, section 15.3.4).
    guard validators.ifRangeValue != nil, http?.statusCode != 203 else { return nil }
    let headers = withoutFields ? [:] : original.allHTTPHeaderFields ?? [:]
    return ResumeData(
      url: url, originalURL: original.url ?? url,
      headers: headers.sorted { $0.key < $1.key }.map { ResumeData.Field(name: $0.key, value: $0.value) },
      bytesReceived: file.length, expectedTotalLength: total, entityTag: validators.entityTag,
      lastModified: validators.lastModified.map { HTTPDate.string(from: $0) }, localPath: file.path,
      options: original.options, missingFields: missing.fields, missesUser: missing.user)
  }
}
