import URLLoading
internal import URLLoadingBase

extension Failure {
  /// What a load failed with, in the command's terms.
  /// - Parameters:
  ///   - isListing: whether the URL was to be listed, not loaded.
  ///   - options: what the user asked for.
  init(_ error: any Error, url: URL, isListing: Bool = false, options: LoadOptions? = nil) {
    if let failure = error as? Failure {
      self = failure
      return
    }
    let subject = Self.subject(url, (error as? URLError)?.failingURL)
    guard let error = error as? URLError else {
      self.init(.other, Self.detail(of: error), subject, advice: "the protocol that loads this scheme knows more")
      return
    }
    if let refusal = error.userInfo[NSUnderlyingErrorKey] as? RefusedRequest {
      self.init(refusal, subject, of: url)
      return
    }
    let detail = Self.detail(of: error)
    let scheme = url.scheme?.lowercased() ?? ""
    let isWebDAV = ["dav", "davs"].contains(scheme)
    if error.code == .unsupportedURL, !isWebDAV {
      // The library lists its schemes after a semicolon.
      let available = detail.split(separator: "; ", maxSplits: 1).dropFirst().first.map { String($0) }
      self.init(
        .badURL, "no protocol \(isListing ? "lists" : "loads") the scheme \"\(url.scheme ?? "")\"", subject,
        advice: available ?? "urlload --help lists those that are built in")
      return
    }
    if let found = Self.explainByDetail(error, detail, url, options) {
      self.init(found.0, found.1, subject, advice: found.2)
      return
    }
    let special =
      scheme == "sftp"
      ? Self.explainSSH(error, isListing: isListing) : isWebDAV ? Self.explainWebDAV(error, isListing: isListing) : nil
    let (reason, what, advice) = special ?? (isListing ? Self.explainListing(error) : Self.explain(error))
    // For a file the kind of failure says all.
    let isSaid = detail.isEmpty || reason == .notFound && url.isFileURL && error.code != .cannotOpenFile
    self.init(reason, isSaid ? what : "\(what) (\(detail))", subject, advice: advice)
  }

  /// The message of the library, or of libcurl behind it.
  private static func detail(of error: any Error) -> String {
    let information = (error as NSError).userInfo
    let underlying = (information[NSUnderlyingErrorKey] as? NSError)?.userInfo[NSLocalizedDescriptionKey] as? String
    let text = underlying ?? information[NSLocalizedDescriptionKey] as? String ?? ""
    // The subject of the line says the URL, and a full stop after it would seem to be a part of it.
    let mark = text.range(of: ". URL: ") ?? text.range(of: " URL: ")
    return SafeText.sentence(mark.map { String(text[..<$0.lowerBound]) } ?? text)
  }

  /// The URL that failed, where a redirect led to another than the user's.
  private static func subject(_ url: URL, _ failing: URL?) -> String {
    guard let failing, ["http", "https"].contains(failing.scheme?.lowercased() ?? ""),
      failing.host()?.lowercased() != url.host()?.lowercased() || failing.path() != url.path()
    else { return SafeText.url(url) }
    return "\(SafeText.url(failing)) (from \(SafeText.url(url)))"
  }

  /// What the words of the library tell apart.
  private static func explainByDetail(
    _ error: URLError, _ detail: String, _ url: URL, _ options: LoadOptions?
  ) -> (ExitReason, String, String)? {
    let words = detail.lowercased()
    switch error.code {
    case .serverCertificateUntrusted where url.scheme?.lowercased() == "sftp": return nil
    case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
      if words.contains("not for") {
        return (
          .insecure, "the server's certificate is for another host (\(detail))",
          "use a name that it is for, or --resolve NAME:PORT:ADDRESS for a name that leads elsewhere"
        )
      }
      guard let options, options.authorityFile != nil else { return nil }
      return (
        .insecure, "the server's certificate is not trusted (\(detail))",
        "check that the file of \(options.authoritySource) has the authority that signed it\(options.authoritySource == "--cacert" ? "" : ", or name another with --cacert")"
      )
    case .cannotConnectToHost where words.contains("unix socket"):
      return (.noConnection, detail, "check the path, and that a server listens there")
    case .badURL where words.contains("unix socket"):
      return (.badURL, detail, "write http+unix://%2FPATH%2FOF%2FSOCKET/, with %2F for each slash of the socket's path")
    case .cannotConnectToHost, .cannotFindHost, .networkConnectionLost:
      guard let proxy = proxyText(options, for: url),
        words.contains("proxy") || words.contains("port \(proxy.port) ") && url.port != proxy.port
      else { return nil }
      return (
        .noConnection, "no connection to the proxy \(proxy.place) (\(detail))",
        "check that it runs, or go without it by -x \"\"\(proxy.source)"
      )
    // libcurl's words for what a tunnel or SOCKS ended with.
    case .userAuthenticationRequired
    where ["connect tunnel", "socks5 server", "no authentication method was acceptable"].contains(where: words.contains):
      return (.login, "the proxy wants another login (\(detail))", proxyLogin)
    case .timedOut where options?.network.connectionTimeout != nil && words.contains("connect"):
      return (.timeout, "no connection in time (\(detail))", "allow more with --connect-timeout")
    case .badURL where words.contains("names no proxy"):
      return (.usage, detail, "set the variable to another value, or go without it by -x \"\"")
    case .badURL where words.hasPrefix("the method "): return (.usage, detail, "choose another with -X")
    case .badURL where url.scheme?.lowercased() == "data":
      return (.badURL, "the data URL cannot be read (\(detail))", "write data:TYPE;base64,BASE64 or data:TYPE,TEXT")
    case .httpTooManyRedirects:
      let limit = options.map { " (\($0.network.maximumRedirects) were followed)" } ?? ""
      return (.broken, "too many redirects\(limit)", "check the URL, or allow more with --max-redirs")
    default: return nil
    }
  }

  /// What to do where a proxy wants a login. `-U` is for the proxy of `-x`.
  static let proxyLogin = "give user and password with -x URL -U USER:PASSWORD"

  /// The proxy of a URL, and which variable names it.
  private static func proxyText(_ options: LoadOptions?, for url: URL) -> (place: String, port: Int, source: String)? {
    if case .through(let proxy)? = options?.proxy { return (proxy.place, proxy.port, "") }
    guard case .usual? = options?.proxy else { return nil }
    let scheme = url.scheme?.lowercased() ?? ""
    let names = ["\(scheme)_proxy", scheme == "http" ? "" : "\(scheme.uppercased())_PROXY", "all_proxy", "ALL_PROXY"]
    for name in names {
      guard let text = ProcessEnvironment.value(of: name), let proxy = try? ProxyOption(text) else { continue }
      return (proxy.place, proxy.port, "; \(name) names it")
    }
    return nil
  }

  /// Differs for directories.
  private static func explainListing(_ error: URLError) -> (ExitReason, String, String) {
    switch error.code {
    case .fileDoesNotExist: (.notFound, "there is no such directory", "check the path")
    case .noPermissionsToReadFile:
      (.notFound, "no permission to list this directory", "ask for it, or use another user")
    case .resourceUnavailable:
      (.notFound, "this is no directory, or it cannot be listed now", "if it is a file, load it without ls")
    case .networkConnectionLost: (.broken, "the connection was lost before the end", "try again")
    case .badServerResponse, .cannotParseResponse:
      (.broken, "the listing makes no sense", "check that the URL is right")
    default: explain(error)
    }
  }

  /// Differs for SSH.
  private static func explainSSH(_ error: URLError, isListing: Bool) -> (ExitReason, String, String)? {
    let isForbidden = ((error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code == .EACCES
    return switch error.code {
    case .secureConnectionFailed:
      (.insecure, "no SSH connection", "check that an SSH server listens on this port, and what it has in common")
    case .serverCertificateUntrusted:
      (
        .insecure, "the server's key is not trusted",
        "ask its owner for the fingerprint before you add it to known_hosts"
      )
    case .userAuthenticationRequired, .userCancelledAuthentication:
      (.login, "the login was refused", "use a key of ssh-agent's or of ~/.ssh/config's, or -u USER:PASSWORD")
    case .cannotCreateFile, .cannotWriteToFile, .cannotMoveFile, .cannotRemoveFile:
      isForbidden
        ? (.notFound, "the server forbids it", "ask for permission, or use another user")
        : (.broken, "the server cannot do it", "check permissions and free space there")
    case .resourceUnavailable where !isListing:
      (.broken, "the load broke off", "try again, or let --retry do it")
    default: nil
    }
  }

  /// Differs for WebDAV.
  private static func explainWebDAV(_ error: URLError, isListing: Bool) -> (ExitReason, String, String)? {
    switch error.code {
    case .unsupportedURL:
      (.broken, "the server does not do that", "check that WebDAV is on at this path; -v shows more")
    case .cannotCreateFile, .cannotWriteToFile, .cannotMoveFile, .cannotRemoveFile:
      (.broken, "the server cannot do it", "see with urlload ls what is there, and check permissions and free space")
    case .resourceUnavailable where !isListing: (.broken, "the server did not do it", "try again; -v shows more")
    default: nil
    }
  }

  private static func explain(_ error: URLError) -> (ExitReason, String, String) {
    switch error.code {
    case .badURL: (.badURL, "the URL cannot be used", "write it as scheme://host/path")
    case .cannotFindHost, .dnsLookupFailed:
      (.noConnection, "the server's name was not found", "check the name, and the network")
    case .cannotConnectToHost:
      (.noConnection, "no connection to the server", "check the port, and that a server listens there")
    case .notConnectedToInternet: (.noConnection, "there is no network", "connect this machine")
    case .secureConnectionFailed:
      (.insecure, "no TLS connection", "check that the server speaks TLS 1.2 or later on this port")
    case .serverCertificateHasBadDate, .serverCertificateNotYetValid:
      (.insecure, "the server's certificate is out of date", "check this machine's clock, or tell the server's owner")
    case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
      (.insecure, "the server's certificate is not trusted", "name its authority's file with --cacert if you trust it")
    case .clientCertificateRequired:
      (.insecure, "the server wants a client certificate", "name yours with -E FILE, and its key's file with --key")
    case .clientCertificateRejected:
      (
        .insecure, "the server refuses the client certificate",
        "check that -E names one of an authority that the server takes, and one that is still valid"
      )
    case .timedOut: (.timeout, "it took too long", "try again later, or allow more with --max-time")
    case .userAuthenticationRequired, .userCancelledAuthentication:
      (.login, "user or password were refused", "give the right ones with -u USER:PASSWORD")
    case .fileDoesNotExist: (.notFound, "there is no such file", "check the path")
    case .fileIsDirectory: (.notFound, "this is a directory", "name a file in it, or see what is there with urlload ls")
    case .noPermissionsToReadFile: (.notFound, "no permission to read this file", "ask for it, or use another user")
    case .cannotOpenFile: (.notFound, "this cannot be read as a file", "see with urlload ls -l what it is")
    case .cannotCreateFile, .cannotWriteToFile, .cannotCloseFile, .cannotMoveFile, .cannotRemoveFile:
      (.localFile, "the file cannot be written", "check its folder's permissions and free space")
    case .networkConnectionLost:
      (.broken, "the connection was lost before the end", "try again, or let --retry do it")
    case .httpTooManyRedirects: (.broken, "the server redirects without end", "check the URL")
    case .redirectToNonExistentLocation: (.broken, "the redirect cannot be followed", "check where it leads with -v")
    case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData,
      .zeroByteResource:
      (.broken, "the answer makes no sense", "check that the URL is right; -v shows more")
    case .dataLengthExceedsMaximum: (.broken, "there is more than is taken", "check that the URL is right")
    case .cancelled: (.other, "the load was cancelled", "try again")
    default: (.other, "the load failed with code \(error.code.rawValue)", "-v shows more")
    }
  }
}
