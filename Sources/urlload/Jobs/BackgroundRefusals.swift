extension URLLoad {
  /// Refuses options that loads in the background do not have: nobody is there any more to do what they say.
  func checkBackground() throws(Failure) {
    let given: [(isGiven: Bool, name: String)] = [
      (connection.cookie.contains { !CookieFiles.areCookies($0) }, "-b FILE"),
      (connection.cookieJar != nil, "-c"), (connection.insecure, "-k"), (connection.cert != nil, "-E"),
      (connection.har != nil, "--har"), (connection.unixSocket != nil, "--unix-socket"),
      (connection.archiveIndex != nil, "--archive-index"),
      (
        connection.anyauth || connection.digest || connection.ntlm || connection.negotiate,
        "--digest, --ntlm, --negotiate or --anyauth"
      ), (request.referer?.contains(";auto") == true, "-e with ;auto"),
      (output.dumpHeader != nil, "-D"), (output.include, "-i"), (output.writeOut != nil, "-w"),
      (output.maxFilesize != nil, "--max-filesize"), (output.noClobber, "--no-clobber"),
      (output.etagSave != nil, "--etag-save"), (output.continueAt != nil, "-C"), (request.head, "-I"),
      (request.noLocation, "--no-location"), (transfer.retry != nil, "--retry"),
      (transfer.retryDelay != nil, "--retry-delay"), (transfer.failEarly, "--fail-early"), (report.verbose, "-v"),
    ].filter(\.isGiven)
    guard let first = given.first?.name else { return try checkBackgroundUpload() }
    throw Failure(
      .usage, "--background has no \(first)",
      advice: first.hasPrefix("--retry")
        ? "leave it out: the service tries again by itself" : "leave it out, or load in the foreground")
  }

  /// The answer to an upload is a file of nobody's.
  private func checkBackgroundUpload() throws(Failure) {
    guard request.uploadFile != nil, output.remoteName || output.output.contains(where: { !FileTarget.isNull($0) })
    else { return }
    throw Failure(
      .usage, "--background keeps no answer to -T", advice: "leave out -o and -O, or upload in the foreground")
  }
}
