internal import URLLoadingBase

/// The stages of a load, which are what it does beside loading, in their order. A request passes them from the first to the last: each may
/// change it, end the load, wait, begin another attempt, or answer in place of an instance. The response comes back from the last to the
/// first.
///
/// What a stage remembers is a value with private state, in its folder of `Stages`: ``State`` has those of a load, ``Attempt`` those that
/// begin anew with each hop. No stage looks into another one, and a load that does not need one has it empty.
extension Load {
  /// Takes a request through the stages.
  /// - Parameter earlier: the attempt before, where the load's is another one by now.
  /// - Returns: nil where the load has failed, or where another attempt begins, now or later.
  func takeThroughStages(
    _ request: consuming URLRequest, for reason: AttemptReason, after earlier: EarlierAttempt?
  ) -> AttemptStart? {
    var sent = request
    session.parts.requestDefaults?.apply(to: &sent)
    duplex?.prepare(&sent)
    // Cookies. Here the program's thread waits for the file; later, where a response sets cookies, the transfer loop need not.
    if reason == .first { session.values.httpCookieStorage?.load() }
    if let storage = subclassedCookieStorage(for: sent) {
      return takeThroughStages(sent, withCookiesOf: storage, for: reason, after: earlier)
    }
    let cookies = addCookies(to: &sent)
    return takeThroughStages(sent, with: cookies, for: reason, after: earlier)
  }

  /// Takes a request that has its cookies through the other stages.
  func takeThroughStages(
    _ request: consuming URLRequest, with cookies: CookieStage, for reason: AttemptReason,
    after earlier: EarlierAttempt?
  ) -> AttemptStart? {
    var sent = request
    // Connectivity
    let network = session.values.waitsForConnectivity ? NetworkWait() : nil
    // Uploads: the body
    if reason == .first, plan.addsSessionFields { session.addHeaders(to: &sent) }
    guard addBody(to: &sent, for: reason) else { return nil }
    let (task, previous, replaced, body, number) = update { state in
      let previous = earlier ?? EarlierAttempt(state.attempt)
      let replaced = exchange(&state.attempt, with: Attempt(request: sent, cookies: cookies))
      state.attempt.network = network
      return (state.task, previous, replaced, state.uploads.source, state.machine.attempt)
    }
    // What it has may be the program's: it is not released under the lock.
    withExtendedLifetime(replaced) {}
    guard let task, let chosen = chooseClass(for: task, sent, after: previous, reason: reason) else { return nil }
    // TransportSecurity: HSTS
    if let secured = securedRequest(for: sent, class: chosen, removing: cookies) {
      recordUpgrade(of: sent, to: secured, class: chosen)
      open(secured, for: reason, mayBlock: true, after: previous)
      return nil
    }
    var canonical = chosen.canonicalRequest(for: sent)
    events?.report(.chose(chosen, canonical))
    // TransportSecurity: App Transport Security
    guard mayLoad(&canonical, body, class: chosen) else { return nil }
    // Uploads: their resumption
    inviteResumption(in: &canonical, body, class: chosen)
    // Resumption
    let offset = addRange(to: &canonical, class: chosen)
    // Retries
    addRest(to: &canonical)
    if !canonical.isSame(as: sent) { update { $0.attempt.request = canonical } }
    // Cache
    return lookUp(PreparedAttempt(request: canonical, protocolClass: chosen, rangeOffset: offset, attempt: number))
  }

  /// Takes a response back through the stages. Those of retries, of the cache and of uploads have let it pass, and the machine has
  /// accepted it.
  /// - Parameter acceptsCredential: whether a credential was sent of which this says if it was accepted.
  /// - Returns: where in the resource the body begins; nil where the load has failed, or begins another attempt.
  func takeBackThroughStages(_ response: URLResponse, acceptsCredential: Bool) -> Int64? {
    // Credentials
    if acceptsCredential { storeCredential(response) }
    // Cookies and TransportSecurity
    storeCookies(of: response)
    // Resumption
    if missesCredentials(for: response) {
      abort(missingCredentials())
      return nil
    }
    return placeBody(of: response)
  }
}
