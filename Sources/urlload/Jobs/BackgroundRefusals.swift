extension URLLoad {
  /// Refuses options that loads in the background do not have: nobody is there any more to do what they say.
  func checkBackground() throws(Failure) {
    let given = [
      (connection.cookie.contains { !$0.isEmpty && !CookieFiles.areCookies($0) }, "-b FILE"),
      (connection.cookieJar != nil, "-c"), (connection.insecure, "-k"), (connection.cert != nil, "-E"),
      (connection.har != nil, "--har"), (connection.archiveIndex != nil, "--archive-index"),
      (connection.noproxy != nil && connection.proxy == nil, "--noproxy without -x"),
      (connection.waitsForQuestion, "--digest, --ntlm, --negotiate or --anyauth"),
      (connection.header.contains { $0.hasSuffix(":") } || connection.userAgent == "", "-H NAME:"),
      (output.dumpHeader != nil, "-D"), (output.include, "-i"), (output.writeOut != nil, "-w"),
      (output.maxFilesize != nil, "--max-filesize"), (output.continueAt != nil, "-C"), (request.head, "-I"),
      (request.noLocation, "--no-location"), (transfer.retry != nil, "--retry"),
      (transfer.retryDelay != nil, "--retry-delay"),
    ].filter(\.0).map(\.1)
    guard let first = given.first else { return }
    throw Failure(
      .usage, "--background has no \(first)",
      advice: first.hasPrefix("--retry")
        ? "leave it out: the service tries again by itself" : "leave it out, or load in the foreground")
  }
}
