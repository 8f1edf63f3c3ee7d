/// Downloads that continue in another process than the one that began them, which had their credentials.
///
/// They are tried without: a stored credential, the answer to a challenge or a cookie may do. Where they do not, the error says
/// what is missing.
extension Load {
  /// Whether a response rejects the request, and the resumed download lacks credentials of the original one.
  func missesCredentials(for response: URLResponse) -> Bool {
    guard plan.isResumption, let status = (response as? HTTPURLResponse)?.statusCode else { return false }
    return [401, 403, 407].contains(status) && missing != nil
  }

  /// What such a download fails with.
  func missingCredentials(underlying: (any Error)? = nil) -> URLError {
    failure(
      .userAuthenticationRequired,
      "The resumed download was refused. It began with \(missing ?? "credentials"), which resume data does not hold; begin the download anew with a request that has it.",
      underlying: underlying)
  }

  /// An error of the instance. A refused login of a download that lacks its credentials says so.
  func namingMissingCredentials(_ error: any Error) -> any Error {
    guard plan.isResumption, missing != nil, let code = (error as? URLError)?.code,
      code == .userAuthenticationRequired || code == .userCancelledAuthentication
    else { return error }
    return missingCredentials(underlying: error)
  }

  /// In words; nil if nothing is missing.
  private var missing: String? {
    plan.resumption.flatMap { ResumeSecrets.missing(fields: $0.missingFields, user: $0.missesUser) }
  }
}
