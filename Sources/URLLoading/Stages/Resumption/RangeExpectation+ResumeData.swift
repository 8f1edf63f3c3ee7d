internal import URLLoadingHTTPSemantics

extension RangeExpectation {
  /// What the request of a resumed download asked for.
  /// - Parameter offset: the first byte that it asked for; nil for the whole.
  init(_ resumption: ResumeData?, at offset: Int64?) {
    guard let offset else {
      self.init(range: nil)
      return
    }
    let total = resumption?.expectedTotalLength ?? -1
    self.init(
      range: .from(offset), completeLength: total < 0 ? nil : total,
      validators: resumption?.validators ?? ResourceValidators())
  }
}

extension ResumeData {
  /// What tells the version of the partial file from others.
  var validators: ResourceValidators {
    ResourceValidators(
      entityTag: entityTag, lastModified: lastModified.flatMap { HTTPDate.date(from: $0, now: Date()) })
  }
}
