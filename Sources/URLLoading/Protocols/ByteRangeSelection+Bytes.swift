extension ByteRangeSelection {
  /// The selected bytes, and the content range of the response; nil for a range that cannot be satisfied.
  public func bytes(ofLength length: Int64) -> (Range<Int64>, ContentRange?)? {
    switch self {
    case .whole: (0..<length, nil)
    case .partial(let range): (range.firstByte..<range.lastByte + 1, range)
    case .unsatisfiable: nil
    }
  }
}

extension URLError {
  /// The key of the length of the whole resource, an `Int64`, in an error about a range.
  static let completeLengthKey = "URLLoadingCompleteLength"

  /// A range that lies outside of the resource: what HTTP's status 416 says, for protocol classes of schemes that have no status.
  /// - Parameters:
  ///   - request: the request with the `Range` field.
  ///   - length: the length of the whole resource in bytes.
  public static func unsatisfiableRange(of request: URLRequest, length: Int64) -> URLError {
    let range = request.value(forHTTPHeaderField: "Range") ?? ""
    let error = URLError(
      .badServerResponse,
      message:
        "The range \"\(range)\" lies outside of the \(length) bytes of \(request.url?.redactedDescription ?? "the resource").",
      url: request.url)
    var info = error.userInfo
    info[completeLengthKey] = length
    return URLError(_nsError: NSError(domain: NSURLErrorDomain, code: error.errorCode, userInfo: info))
  }
}
