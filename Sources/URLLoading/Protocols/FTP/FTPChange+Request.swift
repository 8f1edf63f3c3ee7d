internal import URLLoadingCurlTransport

/// What a request changes on an FTP server: `DELETE`, and RFC 4918's `MKCOL` and `MOVE`.
extension FTPChange {
  /// - Returns: nil for a method that loads or stores; for one that stores what is new, that nothing is there.
  /// - Throws: what is wrong with the request; nothing was sent then.
  init?(_ request: URLRequest) throws(URLError) {
    guard let method = request.httpMethod, ["PUT", "DELETE", "MKCOL", "MOVE"].contains(method), let url = request.url
    else { return nil }
    let replaces = try ChangeConditions.replaces(request)
    if method == "PUT", replaces { return nil }
    let name = try Self.name(of: url)
    let verb: Verb
    switch method {
    case "PUT": verb = .findNothing
    case "DELETE": verb = .remove
    case "MKCOL": verb = .makeDirectory
    default:
      let target = try Self.target(of: request, url)
      let targetName = try Self.name(of: target)
      verb = .move(to: targetName, replaces: replaces)
      if targetName.isOfDirectoryWithoutName { throw verb.refusal(url, "the target is a directory") }
      if targetName.isSame(as: name) { throw verb.refusal(url, "the target is the same") }
    }
    if name.isOfDirectoryWithoutName {
      throw verb.refusal(url, "it is the root, or the directory that a login leads to")
    }
    self.init(verb, of: name)
  }

  /// What is removed or replaced is named in full: a question mark that was not written %3F would name another file.
  private static func name(of url: URL) throws(URLError) -> FTPName {
    guard url.query(percentEncoded: true) == nil else {
      throw URLError(
        .badURL,
        message: "\(url.redactedDescription) has a query; a question mark in a file's name is written %3F.", url: url)
    }
    do throws(FTPName.Defect) {
      return try FTPName(path: url.path(percentEncoded: true))
    } catch {
      throw URLError(.badURL, message: "\(url.redactedDescription) \(error.words).", url: url)
    }
  }

  /// Where something is moved to (RFC 4918, section 10.3): a URL of the same server.
  private static func target(of request: URLRequest, _ url: URL) throws(URLError) -> URL {
    guard let text = request.value(forHTTPHeaderField: "Destination"), let target = URL(string: text),
      target.scheme?.lowercased() == url.scheme?.lowercased()
    else {
      throw URLError(
        .badURL,
        message: "MOVE needs an FTP URL of the same server in the field Destination (RFC 4918, section 10.3).", url: url
      )
    }
    let (own, other) = (place(of: url), place(of: target))
    guard own == other, target.user(percentEncoded: false).map({ $0 == url.user(percentEncoded: false) }) ?? true else {
      throw URLError(
        .unsupportedURL,
        message: "MOVE takes a URL of the same server as its Destination, not \(target.redactedDescription).", url: url)
    }
    return target
  }

  private static func place(of url: URL) -> String {
    "\(url.host(percentEncoded: false)?.lowercased() ?? ""):\(url.port ?? 21)"
  }
}

extension FTPChange.Verb {
  /// The error for what was not done.
  fileprivate func refusal(_ url: URL, _ words: String) -> URLError {
    URLError(failureCode, message: "Cannot \(action) \(url.redactedDescription): \(words).", url: url)
  }

  var action: String {
    switch self {
    case .remove: "remove"
    case .makeDirectory: "make the directory"
    case .move: "move"
    case .findNothing: "store the upload at"
    }
  }
}
