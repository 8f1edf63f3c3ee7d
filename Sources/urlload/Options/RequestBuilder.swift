import ArchiveProtocol
import URLLoading

/// Makes the request for a URL.
enum RequestBuilder {
  /// The request, without its body when that is a file or a stream.
  static func request(for url: URL, _ options: LoadOptions) -> URLRequest {
    var request = URLRequest(url: target(of: url, options))
    request.httpMethod = method(options)
    if options.assumesHTTP3 { request.assumesHTTP3Capable = true }
    for header in options.headers { HeaderFields.add(header, to: &request) }
    if let login = loginAtOnce(for: url, options) { request.setValue(login, forHTTPHeaderField: "Authorization") }
    switch options.body {
    case .data(let data):
      request.httpBody = data
      // The library says of a POST with bytes alone that it is a form.
      if data.isEmpty || request.httpMethod != "POST",
        !options.headers.contains(where: { $0.name.lowercased() == "content-type" })
      {
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
      }
    // The task of a form sets its Content-Type.
    case .form, .file, .stream, nil: break
    }
    if let range = options.range { request.setValue(range.fieldValue, forHTTPHeaderField: "Range") }
    return request
  }

  /// What the `Authorization` field of the first request says, as curl's does: the login for the server that the user named.
  private static func loginAtOnce(for url: URL, _ options: LoadOptions) -> String? {
    guard !options.waitsForChallenge, url.speaksHTTP,
      !options.headers.contains(where: { $0.name.lowercased() == "authorization" }),
      let login = options.login(for: url), let password = login.password
    else { return nil }
    return "Basic " + Data("\(login.user):\(password)".utf8).base64EncodedString()
  }

  /// That of `-X`, else by the other options.
  static func method(_ options: LoadOptions) -> String {
    if let method = options.method { return method }
    switch options.body {
    case .data, .form: return "POST"
    case .file, .stream: return "PUT"
    case nil: return options.headOnly ? "HEAD" : "GET"
    }
  }

  /// A file that is uploaded to a directory keeps its name there. A login for FTP is part of the URL, because a server with anonymous
  /// users does not ask for one; so is that for SSH, where a login begins with the user, and the password of a user that is part of it
  /// already, which challenges are answered with.
  private static func target(of url: URL, _ options: LoadOptions) -> URL {
    var target = url
    if let path = options.body?.path, url.absoluteString.hasSuffix("/") {
      target = url.appending(component: URL(fileURLWithPath: path).lastPathComponent)
    }
    let isWaiting = options.waitsForChallenge && options.login == nil && url.user != nil && url.password == nil
    guard let login = options.login(for: url),
      isWaiting || ["ftp", "ftps", "sftp"].contains(url.scheme?.lowercased() ?? ""),
      var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
    else { return target }
    components.user = login.user
    components.password = login.password
    return components.url ?? target
  }

  /// The configuration of the session for all URLs.
  static func configuration(_ options: LoadOptions, _ console: Console? = nil) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    if let maxTime = options.maxTime {
      configuration.timeoutIntervalForResource = maxTime
      // `-m` also sets the idle timeout.
      configuration.timeoutIntervalForRequest = maxTime
    }
    configuration.httpMaximumConnectionsPerHost = options.parallel
    if let file = options.authorityFile { configuration.certificateAuthorityFile = URL(fileURLWithPath: file) }
    configuration.tlsMinimumSupportedProtocolVersion = options.tlsMinimum
    configuration.tlsMaximumSupportedProtocolVersion = options.tlsMaximum
    switch options.proxy {
    case .usual: break
    case .direct: configuration.connectionProxyDictionary = [:]
    case .through(let proxy): configuration.connectionProxyDictionary = proxy.dictionary
    }
    options.cookies.fill(configuration.httpCookieStorage, for: options.urls)
    configuration.httpOmittedHeaders = HeaderFields.omitted(options.headers)
    configuration.archive.indexDirectory = options.archiveIndex
    configuration.network = options.network
    if options.usesHTTP3Alone { configuration[QUICSettings.self].isOnlyWay = true }
    configuration.sessionEventListener = options.archive
    if options.report.isVerbose, let console {
      configuration.network.recordsRequestHeads = true
      let lines = ConversationLog(console: console, showsSecrets: options.report.showsSecrets)
      configuration.sessionEventListener =
        options.archive.map { URLSession.EventForwarder([$0, lines]) } ?? lines
    }
    return configuration
  }
}
