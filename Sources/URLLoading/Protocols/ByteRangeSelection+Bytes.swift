extension ByteRangeSelection {
  /// The bytes that a selection means, and how the response describes them; nil where there are none to give.
  public func bytes(ofLength length: Int64) -> (Range<Int64>, ContentRange?)? {
    switch self {
    case .whole: (0..<length, nil)
    case .partial(let range): (range.firstByte..<range.lastByte + 1, range)
    case .unsatisfiable: nil
    }
  }
}

extension URLError {
  /// Under this key an error about a range tells the length of the whole resource, an `Int64`.
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
