/// What App Transport Security says about the loads of a URL.
enum TransportSecurityJudgement: Equatable, Sendable {
  /// The scheme is not one that it is about.
  case notJudged
  /// The load may go without encryption.
  case allowed
  /// The load is encrypted, and its connection has to fulfil this.
  case secure(TransportSecurityRequirements)
  /// The load would not be encrypted, and has to be.
  case refused(Refusal)
  /// The rules could not be read.
  case invalid(TransportSecurityError)

  /// Why a load may not go without encryption.
  enum Refusal: Equatable, Sendable {
    /// There is no exception for the host.
    case noException(host: String)
    /// There is one that does not allow it.
    case exception(host: String, domain: String)
    /// Keys are pinned for the host, and an open connection shows none.
    case pinned(host: String, domain: String)
  }

  /// What a load of the URL fails with; nil where it may begin.
  func error(for url: URL) -> URLError? {
    switch self {
    case .notJudged, .allowed, .secure: return nil
    case .invalid(let error): return error.error(for: url)
    case .refused(let refusal):
      let scheme = url.scheme?.lowercased() ?? ""
      let (host, why, remedy) =
        switch refusal {
        case .noException(let host):
          (
            host, "NSExceptionDomains has no entry for it",
            "add one with NSExceptionAllowsInsecureHTTPLoads"
          )
        case .exception(let host, let domain):
          (
            host, "its entry \"\(domain)\" in NSExceptionDomains has no NSExceptionAllowsInsecureHTTPLoads",
            "add that"
          )
        case .pinned(let host, let domain):
          (
            host, "NSPinnedDomains has keys for \"\(domain)\", which an open connection does not show",
            "add an entry with NSExceptionAllowsInsecureHTTPLoads to NSExceptionDomains"
          )
        }
      return URLError(
        .appTransportSecurityRequiresSecureConnection,
        message:
          "App Transport Security does not allow plain \(scheme) to \(host): \(why). Use \(scheme)s, or \(remedy).",
        url: url)
    }
  }
}
