extension LoadMachine {
  /// Why the machine does not let a load go on: what a protocol class did that it may not do, or not at that point, and what a redirect
  /// cannot have.
  enum Failure: Equatable, Sendable {
    case lateRedirect
    case tooManyRedirects
    /// A redirect was refused whose own response is to be a listing.
    case unlistedRedirect
    /// After a response, or while another challenge is open.
    case lateChallenge
    case secondResponse
    /// More bytes than can be held until there is a response.
    case bytesAheadOfResponse
    case entriesAheadOfResponse
    /// Bytes where entries were asked for.
    case unaskedBytes
    case unaskedEntries
    case noResponse
  }
}

extension LoadMachine.Failure {
  var code: URLError.Code {
    switch self {
    case .tooManyRedirects: .httpTooManyRedirects
    case .unlistedRedirect: .resourceUnavailable
    case .lateRedirect, .lateChallenge, .secondResponse, .bytesAheadOfResponse, .entriesAheadOfResponse, .unaskedBytes,
      .unaskedEntries, .noResponse:
      .badServerResponse
    }
  }

  /// - Parameters:
  ///   - limits: those of the load.
  ///   - target: where a redirect leads.
  func words(_ limits: LoadMachine.Limits, redirectedTo target: URL?) -> String {
    switch self {
    case .lateRedirect: "The protocol class reported a redirect after a response."
    case .tooManyRedirects:
      "A redirect to \(target?.redactedDescription ?? "nowhere") is one more than the limit of \(limits.redirects)."
    case .unlistedRedirect: "The redirect was refused, and its own response lists nothing."
    case .lateChallenge: "The protocol class sent a challenge after a response, or a second one at once."
    case .secondResponse: "The protocol class sent a second response."
    case .bytesAheadOfResponse:
      "The protocol class sent more than \(limits.bufferedBytes) bytes before a response."
    case .entriesAheadOfResponse: "The protocol class listed entries before a response."
    case .unaskedBytes: "The protocol class sent data where entries were asked for."
    case .unaskedEntries: "The protocol class listed entries where bytes were asked for."
    case .noResponse: "The protocol class finished without a response."
    }
  }
}

extension Load {
  /// Ends the load for what the machine does not accept.
  /// - Parameter target: where a redirect leads.
  func abort(_ reason: LoadMachine.Failure, redirectedTo target: URL? = nil) {
    let limits = read { $0.machine.limits }
    abort(failure(reason.code, reason.words(limits, redirectedTo: target)))
  }
}
