internal import URLLoadingHTTPSemantics

/// What is done to what a URL names, as a request has it, and what a server's answer to that says.
enum ResourceVerb: String {
  case look = "HEAD"
  case load = "GET"
  case store = "PUT"
  case copy = "COPY"
  case remove = "DELETE"
  case makeDirectory = "MKCOL"
  case move = "MOVE"

  func request(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = rawValue
    // What is done goes by what is there now.
    if self == .look || self == .load { request.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData }
    return request
  }

  /// RFC 4918, sections 10.3 and 10.6.
  func request(_ source: URL, to target: URL, overwriting: Bool) throws -> URLRequest {
    guard Self.isOneServer(source, target) else {
      throw URLError(
        .unsupportedURL,
        message:
          "\(rawValue) is carried out by one server, and \(target.redactedDescription) is not on that of \(source.redactedDescription).",
        url: source)
    }
    var request = request(source)
    request.setValue(
      URLSecrets.removingCredentials(target.absoluteURL).absoluteString, forHTTPHeaderField: "Destination")
    request.setValue(overwriting ? "T" : "F", forHTTPHeaderField: "Overwrite")
    // A collection would be copied with all that is in it (RFC 4918, section 9.8.3).
    if self == .copy { request.setValue("0", forHTTPHeaderField: "Depth") }
    return request
  }

  /// Whether a server can do at once what has both for its source and target.
  static func isOneServer(_ source: URL, _ target: URL) -> Bool {
    let users = [source, target].map { $0.user(percentEncoded: false) }
    return place(of: source) == place(of: target) && (users[1] == nil || users[0] == users[1])
  }

  private static func place(of url: URL) -> [String] {
    let scheme = url.scheme?.lowercased() ?? ""
    let defaults = ["http": 80, "https": 443, "dav": 80, "davs": 443, "ftp": 21, "ftps": 21, "sftp": 22]
    let port = url.port ?? defaults[scheme]
    let host = URLProtectionSpace.comparable(url.host(percentEncoded: false) ?? "", of: scheme)
    return [scheme, scheme == "file" && host == "localhost" ? "" : host, port.map { "\($0)" } ?? ""]
  }

  // MARK: Answers

  /// A redirect has turned the verb into a question, whose answer says nothing of it (RFC 9110, section 15.4.4).
  func error(forAnswerTo method: String?, _ response: URLResponse) -> URLError? {
    guard let method, method != rawValue, self != .look, self != .load else { return nil }
    return URLError(
      .badServerResponse,
      message:
        "The server did not \(action) what it was asked for: it led to \(response.url?.redactedDescription ?? "") by \(method).",
      url: response.url)
  }

  /// What the answer of a server says of a failure; nil where it did as it was asked.
  func error(for response: HTTPURLResponse) -> URLError? {
    let (code, words): (URLError.Code, String)
    switch response.statusCode {
    // RFC 4918, section 9.8.5: whoever answers otherwise takes it for another method.
    case let status where self == .copy && [200, 202, 203, 205, 206, 400].contains(status):
      (code, words) = (.unsupportedURL, "it does not carry out \(rawValue) (\(response.statusCode))")
    // RFC 4918, sections 9.3.1 and 9.9.4: another success is that of a server that takes every method for a question.
    case let status where [.move, .makeDirectory].contains(self) && [200, 203, 205, 206].contains(status):
      (code, words) = (.badServerResponse, "its answer \(response.statusCode) does not say that it was done")
    case 200, 201, 203..<207, 208..<300: return nil
    // Something that belongs to it could not be done (RFC 4918, sections 9.6.1 and 9.9.4).
    case 207: (code, words) = (failureCode, "it did a part of it alone (207)")
    case 202: (code, words) = (.resourceUnavailable, "it will do so later, or not (202)")
    case 401: (code, words) = (.userAuthenticationRequired, "it wants a login (401)")
    case 404, 410: (code, words) = (.fileDoesNotExist, "there is nothing (\(response.statusCode))")
    // RFC 4918, section 9.3.1: of what exists.
    case 405 where self == .makeDirectory:
      (code, words) = (.cannotCreateFile, "there is something, or it makes none (405)")
    case 405, 501: (code, words) = (.unsupportedURL, "it does not carry out \(rawValue) (\(response.statusCode))")
    case 403 where self == .look || self == .load: (code, words) = (.noPermissionsToReadFile, "it refuses (403)")
    case 409 where ![.remove, .look, .load].contains(self):
      (code, words) = (.fileDoesNotExist, "there is no directory for it (409)")
    case 412 where [.move, .copy, .store].contains(self):
      (code, words) = (failureCode, "there is something at the target, which is not to be replaced (412)")
    case 423: (code, words) = (failureCode, "it is locked (423)")
    case 507: (code, words) = (failureCode, "it has no room (507)")
    case 403, 409, 412: (code, words) = (failureCode, "it refuses (\(response.statusCode))")
    default: (code, words) = (.badServerResponse, "its answer is \(response.statusCode)")
    }
    return URLError(
      code, message: "The server did not \(action) \(response.url?.redactedDescription ?? ""): \(words).",
      url: response.url)
  }

  private var failureCode: URLError.Code {
    switch self {
    case .look, .load: .resourceUnavailable
    case .store, .copy: .cannotCreateFile
    case .remove: .cannotRemoveFile
    case .makeDirectory: .cannotCreateFile
    case .move: .cannotMoveFile
    }
  }

  private var action: String {
    switch self {
    case .look: "tell of"
    case .load: "load"
    case .store: "store"
    case .copy: "copy"
    case .remove: "remove"
    case .makeDirectory: "make the directory"
    case .move: "move"
    }
  }
}
