extension URLSession {
  /// An answer to an authentication challenge.
  @frozen public enum AuthChallengeDisposition: Int, Sendable {
    /// Use the credential that comes with the answer; continue without one when that is nil.
    case useCredential = 0
    /// Do what the load does without a delegate.
    case performDefaultHandling = 1
    /// End the task with `URLError.cancelled`.
    case cancelAuthenticationChallenge = 2
    /// Refuse this protection space, and try the next one that the server offers.
    case rejectProtectionSpace = 3
  }

  /// An answer to a delayed request that is about to begin.
  @frozen public enum DelayedRequestDisposition: Int, Sendable {
    /// Load the request.
    case continueLoading = 0
    /// Load the request that comes with the answer in its place.
    case useNewRequest = 1
    /// End the task with `URLError.cancelled`.
    case cancel = 2
  }

  /// An answer to a response.
  @frozen public enum ResponseDisposition: Int, Sendable {
    /// End the task with `URLError.cancelled`.
    case cancel = 0
    /// Load the body.
    case allow = 1
    /// Load the body as a download task.
    case becomeDownload = 2
    /// Read the body as a stream task's input; for HTTP/1.1.
    case becomeStream = 3
  }
}
