internal import URLLoadingBase

/// Which loads of a session may go directly (``DirectLoad``): what is constant for the session is decided once.
final class DirectLane: Sendable {
  /// What loads find cookies in, and store them; nil where there is no such storage.
  private let cookies: HTTPCookieStorage?
  private let storesCookies: Bool
  private let policies: HTTPCookieStorage
  let cache: URLCache?
  private let configured: [URLProtocol.Type]

  /// Nil for a session all of whose loads need a stage.
  /// - Parameter isPlain: whether nothing beside these says that they do.
  init?(
    _ values: URLSessionConfiguration.Values, storesCookies: Bool, policies: HTTPCookieStorage,
    isPlain: Bool
  ) {
    guard isPlain, values.background == nil,
      !values.waitsForConnectivity, values.appTransportSecurity == nil,
      values.httpCookieStorage?.isSubclassed != true, values.urlCache?.isSubclassed != true
    else { return nil }
    cookies = values.httpCookieStorage
    self.storesCookies = storesCookies
    self.policies = policies
    cache = values.urlCache
    configured = values.protocolClasses
  }

  /// Whether a task may go directly to whose events nobody listens.
  func admits(_ plan: borrowing LoadPlan) -> Bool {
    // Of the built-in classes that of HTTP alone loads directly.
    guard plan.request.urlFacts.isHTTP || !ProtocolRegistry.shared.custom(of: configured).isEmpty, plan.kind == .data,
      Self.isInMemory(plan.upload), plan.background == nil, plan.immediateError == nil,
      !plan.isResumption, !plan.isUploadResumption, plan.waitsForConnectivity, plan.usesCache, plan.addsSessionFields,
      !plan.isSentOnce
    else { return false }
    switch plan.owner {
    case .waiter, .handler: return true
    case .delegate, .reader, .detached: return false
    }
  }

  /// Whether there is no body to send, or one that needs no file or stream.
  private static func isInMemory(_ upload: borrowing UploadSource) -> Bool {
    switch copy upload {
    case .none, .data: true
    case .file, .unsizedFile, .form, .stream: false
    }
  }

  /// Whether nothing that is known ahead of the response needs a stage.
  func admits(_ request: borrowing URLRequest) -> Bool {
    // Here the program's thread waits for the file.
    cookies?.load()
    guard cookies?.hasCookies != true, request.urlFacts.isHTTPS || !policies.hasTransportPolicies,
      request.cachePolicy == .useProtocolCachePolicy
    else { return false }
    // A body for a HEAD is refused; with a cache its answer says something of what is stored.
    guard request.httpMethod != "HEAD" else { return cache == nil && request.httpBody == nil }
    return cache?.isKnownToBeEmpty ?? true
  }

  /// Whether a request may be for the cache alone (RFC 9111, section 5.2.1.7).
  /// - Parameter request: with the session's fields.
  func isForCache(_ request: borrowing URLRequest) -> Bool {
    cache != nil && request.value(forHTTPHeaderField: "Cache-Control") != nil
  }

  /// The class that loads a request, where it may do so directly.
  /// - Parameter prepare: called ahead of classes that a program has added, which look at the task.
  func protocolClass(
    for task: URLSessionTask, _ request: URLRequest, prepare: () -> Bool
  ) -> (any URLProtocolDirectLoading.Type)? {
    let custom = ProtocolRegistry.shared.custom(of: configured)
    guard !custom.isEmpty else { return request.urlFacts.isHTTP ? HTTPProtocol.self : nil }
    // A class that is asked here, and loads by an instance, would be asked again.
    guard custom.allSatisfy({ $0 is any URLProtocolDirectLoading.Type }), prepare() else { return nil }
    let chosen = ProtocolRegistry.shared.protocolClass(for: task, loading: request, configured: configured)
    guard let chosen = chosen as? any URLProtocolDirectLoading.Type else { return nil }
    let method = request.httpMethod ?? "GET"
    // What is refused is said by the whole load.
    if let accepted = chosen.capabilities.acceptedHTTPMethods,
      !accepted.contains(method) || method == "PUT" || request.httpBody != nil
    {
      return nil
    }
    return chosen
  }

  /// Whether a response of HTTP is for a stage. Its fields decide, and no policy. That to an unsafe method invalidates what is stored by now
  /// (RFC 9111, section 4.4).
  func needsStage(_ response: HTTPURLResponse, to method: String?) -> Bool {
    if storesCookies, !response.setCookies.isEmpty { return true }
    guard let cache else { return false }
    return !response.forbidsStoring || !CacheRequest.isRetrieval(method) && !cache.isKnownToBeEmpty
  }

  /// Whether another response is, which a class has given a policy.
  func needsStage(_ policy: URLCache.StoragePolicy) -> Bool { cache != nil && policy != .notAllowed }
}
