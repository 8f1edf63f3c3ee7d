extension URLSession {
  /// An answer to an authentication challenge.
  public enum AuthChallengeDisposition: Int, Sendable {
    /// Use the credential that comes with the answer; go on without one when that is nil.
    case useCredential = 0
    /// As if no delegate had been asked.
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
    /// Go on.
    case allow = 1
    /// Go on as a download task.
    case becomeDownload = 2
  }
}
