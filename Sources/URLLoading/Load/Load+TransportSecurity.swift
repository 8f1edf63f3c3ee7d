internal import URLLoadingBase

/// Loads that are made secure (HSTS, RFC 6797), or have to be (App Transport Security).
extension Load {
  /// The request for `https` that takes the place of one for `http`, where the host is known to want that; nil where the request stays.
  ///
  /// Only loads of the built-in class are upgraded: a custom class for `http`, such as a mock, may not load from the
  /// host at all.
  /// - Parameter cookies: those of the request, for a URL that is not loaded.
  func securedRequest(
    for request: URLRequest, class chosen: URLProtocol.Type, removing cookies: CookieStage
  ) -> URLRequest? {
    let storage = session.parts.policyStorage
    guard chosen == HTTPProtocol.self, storage.hasTransportPolicies,
      var secured = HSTSUpgrade.securedRequest(for: request, where: { storage.requiresSecureTransport(to: $0) })
    else { return nil }
    cookies.withdraw(from: &secured)
    return secured
  }

  /// Reports the upgrade to metrics and listener, as a transaction with a synthesized response. The delegate is not
  /// asked, since it must not refuse.
  func recordUpgrade(of request: URLRequest, to secured: URLRequest, class chosen: URLProtocol.Type) {
    guard let url = request.url, let target = secured.url else { return }
    let response = HSTSUpgrade.response(from: url, to: target)
    events?.report(.chose(chosen, request))
    events?.report(.redirected(response, proposed: secured, followed: secured))
    update { state in
      state.metrics.beginTransaction(request, isStored: true)
      state.metrics.responded(response)
      state.endTransaction()
    }
  }

  /// Why App Transport Security does not let a request be loaded; nil where it does, or the session does not ask for it.
  ///
  /// What classes of the program's own load is not judged: they may reach no network, and where they load through a session, that one judges.
  func violation(of request: URLRequest, class chosen: URLProtocol.Type) -> URLError? {
    guard let rules = session.values.appTransportSecurity, let url = request.url,
      ProtocolRegistry.builtIns.contains(where: { $0 == chosen })
    else { return nil }
    return rules.judgement(of: url).error(for: url)
  }

  /// Records that a host wants to be reached over secure connections alone, where its response says so.
  func recordTransportSecurity(of response: HTTPURLResponse) {
    // Most responses lack the field, and many a server sends it over plain HTTP, too: it is looked for last.
    guard let url = response.url, url.scheme?.equalsIgnoringASCIICase("https") == true,
      let field = response.strictTransportSecurity, let host = url.host(percentEncoded: false),
      speaker(of: response).setsTransportPolicy
    else { return }
    session.parts.policyStorage.recordTransportSecurity(field, from: host, isSecure: true, isVerified: true)
  }
}
