import URLLoading

/// Makes the errors of a load: what the server's answer means, so that programs need not know HTTP.
struct WebDAVFailures: Sendable {
  /// What was to be done.
  enum Action: Sendable {
    case load, list, describe, store, remove, makeDirectory, move, copy

    /// For "The server did not …".
    fileprivate var words: String {
      switch self {
      case .load: "send"
      case .list: "list"
      case .describe: "tell of"
      case .store: "store"
      case .remove: "remove"
      case .makeDirectory: "make the directory"
      case .move: "move"
      case .copy: "copy"
      }
    }

    /// For a refusal without a code of its own.
    fileprivate var code: URLError.Code {
      switch self {
      case .load, .list, .describe: .noPermissionsToReadFile
      case .store: .cannotWriteToFile
      case .remove: .cannotRemoveFile
      case .makeDirectory, .copy: .cannotCreateFile
      case .move: .cannotMoveFile
      }
    }

    fileprivate var changesNames: Bool { self == .move || self == .copy }
  }

  let url: URL
  let action: Action

  private var name: String { url.redactedDescription }

  /// What a status means (RFC 4918, sections 9 and 11; RFC 9110, section 15).
  func refused(_ status: Int, by server: URL? = nil, underlying: (any Error)? = nil) -> URLError {
    let (code, words): (URLError.Code, String)
    switch status {
    case 202: (code, words) = (.resourceUnavailable, "it will do so later, or not (202)")
    case 300..<400:
      (code, words) = (
        .badServerResponse, "it leads elsewhere, where \(action.words) would be something else (\(status))"
      )
    case 401: (code, words) = (.userAuthenticationRequired, "it wants a login (401)")
    case 404, 410: (code, words) = (.fileDoesNotExist, "there is nothing (\(status))")
    case 405 where action == .makeDirectory:
      (code, words) = (.cannotCreateFile, "there is something, or it makes none (405)")
    case 405, 501: (code, words) = (.unsupportedURL, "it does not carry that out (\(status))")
    case 409 where ![.remove, .load, .list, .describe].contains(action):
      (code, words) = (.fileDoesNotExist, "there is no directory for it (409)")
    case 412 where action == .store:
      (code, words) = (.cannotCreateFile, "what is there is not what the request names, if there is anything (412)")
    case 412 where action.changesNames:
      (code, words) = (action.code, "there is something at the target, which is not to be replaced (412)")
    case 412: (code, words) = (.resourceUnavailable, "it is not what the request names (412)")
    case 413: (code, words) = (action.code, "it takes nothing of that size (413)")
    case 423: (code, words) = (action.code, "it is locked (423)")
    case 424: (code, words) = (action.code, "something that it depends on could not be done (424)")
    case 507: (code, words) = (action.code, "it has no room (507)")
    case 502 where action.changesNames: (code, words) = (.unsupportedURL, "the target is another server's (502)")
    case 403, 409: (code, words) = (action.code, "it refuses (\(status))")
    default: (code, words) = (.badServerResponse, "its answer is \(status)")
    }
    return error(code, "The server did not \(action.words) \(name): \(words).", underlying: underlying)
  }

  /// What the first thing that a server could not do means (RFC 4918, section 13).
  func partly(_ status: Int, of item: URL?) -> URLError {
    let part = WebDAVFailures(url: item ?? url, action: action).refused(status)
    let place = item.map { ", not \($0.redactedDescription)" } ?? ""
    return error(
      action.code, "The server did a part of it alone\(place): its answer to that is \(status).", underlying: part)
  }

  /// An answer that could not be read.
  func unreadable(_ violation: XMLViolation, isChange: Bool = false) -> URLError {
    let what = isChange ? "The server did a part of it alone, or nothing, and its answer" : "The server's answer"
    let code: URLError.Code = if case .limit = violation { .dataLengthExceedsMaximum } else { .cannotParseResponse }
    return error(
      isChange ? action.code : code, "\(what) about \(name) cannot be read: \(violation).", underlying: violation)
  }

  var isDirectory: URLError { error(.fileIsDirectory, "A directory is listed, not loaded: \(name).") }

  func error(_ code: URLError.Code, _ message: String, underlying: (any Error)? = nil) -> URLError {
    URLError(code, message: message, url: url, underlying: underlying)
  }
}
