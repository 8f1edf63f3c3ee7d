/// Why an upload cannot be resumed.
struct UploadFailure: Equatable, Sendable {
  enum Reason: Equatable, Sendable {
    /// The server named another upload than before.
    case otherResource
    /// It takes no body like this one: in words.
    case limits(String)
    /// It did not say how much it has.
    case noOffset
    /// It has less than it said before, or than it took for certain.
    case lostBytes(has: Int64, had: Int64)
    /// It has more than there is.
    case excess(has: Int64, length: Int64)
    /// It believes that the body has another length.
    case otherLength(said: Int64, length: Int64)
    /// The server reports the upload as complete, but with a smaller offset.
    case incomplete(has: Int64, length: Int64)
    /// The server responds to the last part with success, but expects more than the body.
    case unfinished(status: Int, has: Int64, length: Int64?)
    /// It does not know the upload any more.
    case gone(status: Int)
    /// It failed, and has all: what came of the upload is not known.
    case unknownResult(status: Int)
    /// It did not tell how much it has.
    case refused(status: Int)
  }

  var reason: Reason

  init(_ reason: Reason) {
    self.reason = reason
  }

  /// Whether the server is told to drop the upload, as the draft asks of clients that cannot continue one.
  var cancelsUpload: Bool {
    switch reason {
    case .otherResource, .limits, .excess, .otherLength: true
    case .noOffset, .lostBytes, .incomplete, .unfinished, .gone, .unknownResult, .refused: false
    }
  }

  /// Whether it may be resumed later.
  var isTemporary: Bool {
    if case .refused = reason { return true }
    return false
  }

  var code: URLError.Code {
    switch reason {
    case .otherResource, .noOffset, .lostBytes, .excess, .otherLength, .incomplete, .unfinished, .unknownResult:
      .badServerResponse
    case .limits: .dataLengthExceedsMaximum
    case .gone: .resourceUnavailable
    case .refused(let status): [401, 403, 407].contains(status) ? .userAuthenticationRequired : .badServerResponse
    }
  }

  /// A sentence without its full stop.
  var words: String {
    switch reason {
    case .otherResource: "The server announced two places for one upload"
    case .limits(let words): "The upload was stopped: \(words)"
    case .noOffset: "The upload cannot be resumed: the server did not say how much it has (Upload-Offset)"
    case .lostBytes(let has, let had):
      "The upload cannot be resumed: the server has \(has) bytes, and had \(had) before. Upload anew"
    case .excess(let has, let length):
      "The upload cannot be resumed: the server has \(has) bytes of a body of \(length). Upload anew"
    case .otherLength(let said, let length):
      "The upload cannot be resumed: to the server the body has \(said) bytes, and it has \(length). Upload anew"
    case .incomplete(let has, let length):
      "The server says that the upload is complete, and has \(has) of its \(length) bytes"
    case .unfinished(let status, let has, let length):
      "The server answered \(status), and does not take the upload for complete: it has acknowledged \(has) bytes"
        + (length.map { " of \($0)" } ?? "")
    case .gone(let status):
      "The upload cannot be resumed: the server does not have it any more (status \(status)). It may have been completed; find out, or upload anew"
    case .unknownResult(let status):
      "The server answered \(status), and has the whole upload: what it made of it is not known. Find out, or upload anew"
    case .refused(let status):
      "The upload cannot be resumed now: the server answered \(status) where it was to say how much it has"
    }
  }
}
