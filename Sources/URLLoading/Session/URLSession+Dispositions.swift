extension URLSession {
  /// An answer to an authentication challenge.
  public enum AuthChallengeDisposition: Int, Sendable {
    /// Use the credential that comes with the answer; continue without one when that is nil.
    case useCredential = 0
    /// Do what the load does without a delegate.
    case performDefaultHandling = 1
    /// End the task with `URLError.cancelled`.
    case cancelAuthenticationChallenge = 2
    /// Refuse this protection space, and try the next one that the server offers.
    case rejectProtectionSpace = 3
  }

  /// An answer to a response.
  public enum ResponseDisposition: Int, Sendable {
    /// End the task with `URLError.cancelled`.
    case cancel = 0
    /// Load the body.
    case allow = 1
    /// Load the body as a download task.
    case becomeDownload = 2
  }
}
