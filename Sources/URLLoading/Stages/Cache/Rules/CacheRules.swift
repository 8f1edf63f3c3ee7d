internal import URLLoadingHTTPSemantics

/// The decisions of HTTP caching (RFC 9111): what may be stored, what may answer, what has to be asked. A value without clock, lock or
/// store; each decision is a function of what it is given.
///
/// Where the RFC leaves room:
/// - A request with conditions of its own goes by the cache, as on Apple's systems: its 304 is for the program. Section 4.3.2 would have
///   a cache between two machines answer it.
/// - The cache policies of a request are settings of the user, and go before what the response says: with `returnCacheDataElseLoad` and
///   `returnCacheDataDontLoad` a response answers whatever its age, `must-revalidate` included. `Vary` and `no-store` hold for them too.
/// - A failure to reach the source is one for the program, as on Apple's systems, unless `stale-if-error` has
///   a stale response answer.
/// - Statuses other than 200 to 299 are stored where the RFC allows it, which Apple's systems do not; a redirect only where it is refused:
///   the body of one that is followed does not come.
/// - Only responses to GET are stored. Section 9.3.3 of RFC 9110 allows some responses to POST.
/// - `Authorization` chooses a response as if `Vary` named it, unless the response says that it is for all.
struct CacheRules: Sendable {
  enum Kind: Sendable {
    /// Of one user.
    case `private`
    /// One that programs and users share (sections 3 and 3.5).
    case shared
  }

  var kind = Kind.private

  /// What a policy adds to a request for the caches on the way (section 5.2.1); a program's own `Cache-Control` is to be kept beside it.
  static func requestFields(for policy: NSURLRequest.CachePolicy) -> [(name: String, value: String)] {
    switch policy {
    case .reloadIgnoringLocalAndRemoteCacheData: [("Cache-Control", "no-cache"), ("Pragma", "no-cache")]
    // The source is to confirm, and no cache on the way.
    case .reloadRevalidatingCacheData: [("Cache-Control", "max-age=0")]
    case .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .returnCacheDataElseLoad, .returnCacheDataDontLoad: []
    }
  }

  /// Whether a stored response may be used at all, validated or not. Its fields can have changed since it was stored (section 3.2).
  func mayUse(_ directives: CacheDirectives, statusCode: Int) -> Bool {
    !forbidsStoring(directives, statusCode: statusCode) && !(kind == .shared && directives.isPrivate == .all)
  }

  /// The statuses of RFC 9110, for which it asks nothing of a cache that this one would not do. 304 is never stored.
  private static let understoodStatusCodes =
    Set([200...206, 300...303, 305...305, 307...308, 400...417, 421...422, 426...426, 451...451, 500...505].joined())

  /// `must-understand` overrides `no-store` for a status that is understood (section 5.2.2.3).
  func forbidsStoring(_ directives: CacheDirectives, statusCode: Int) -> Bool {
    if directives.mustUnderstand { return !Self.understoodStatusCodes.contains(statusCode) }
    return directives.noStore
  }

  /// Whether a stale response is forbidden by itself (section 4.2.4).
  func forbidsStale(_ directives: CacheDirectives) -> Bool {
    directives.mustRevalidate || directives.noCache == .all
      || kind == .shared && (directives.proxyRevalidate || directives.sharedMaxAge != nil)
  }
}
