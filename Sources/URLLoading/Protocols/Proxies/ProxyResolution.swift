internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// Resolves the proxies of a session's loads by a script or the system's settings.
///
/// Mutable state: `unreachable`, guarded by its lock.
final class ProxyResolution: Sendable {
  private enum Source: Sendable {
    /// The system's settings.
    case system
    /// A script that is known.
    case script(String)
    /// A script that is loaded.
    case file(PACFile)
    /// The script cannot be had.
    case failure(PACFailure)
  }

  private let source: Source
  private let tools: ProxyTools
  /// Nil where there is no script.
  private let evaluator: PACEvaluator?
  /// The hosts that are reached directly whatever a script says.
  private let exceptions: ProxySelector
  private let unreachable = Locked(UnreachableProxies())

  /// Nil where the transfer engine decides by itself: by the proxies of the dictionary, or by the environment's variables.
  init?(_ configuration: URLSessionConfiguration) {
    tools = configuration[ProxyTools.self]
    guard let dictionary = configuration.connectionProxyDictionary else {
      var environment = tools.environment
      if let given = configuration.loadEnvironment { environment = { given.variables[$0] } }
      guard !ProxySelector.hasVariables(environment) else { return nil }
      tools.system.open()
      source = .system
      evaluator = nil
      exceptions = ProxySelector(.direct)
      return
    }
    let values = ProxyDictionary(dictionary)
    guard let script = PACSource(values) else { return nil }
    evaluator = PACEvaluator(tools)
    source =
      switch script {
      case .script(let text): .script(text)
      case .url(let url):
        .file(PACFile(url, configuration: configuration, timeLimit: tools.fileTimeLimit))
      case .invalid(let text): .failure(.invalidURL(text))
      }
    exceptions = ProxySelector(.settings(ProxySettings(values)))
  }

  /// Whether there is anything to ask.
  var isNeeded: Bool {
    if case .system = source { !tools.system.isAbsent } else { true }
  }

  /// Finds the route of a load to a URL.
  /// - Parameters:
  ///   - take: gets the route, or an error, and says whether the load goes on.
  ///   - begin: called where it goes on after this has returned.
  /// - Returns: whether it goes on now.
  func resolvesRoute(
    for url: URL, take: @escaping @Sendable (Result<ProxyRoute, URLError>) -> Bool,
    otherwise begin: @escaping @Sendable () -> Void
  ) -> Bool {
    let known = route(for: url) { if take($0) { begin() } }
    return known.map(take) ?? false
  }

  /// The route for a URL, or an error.
  /// - Parameter later: gets it where it is not known when this returns.
  /// - Returns: nil where that is so.
  private func route(
    for url: URL, otherwise later: @escaping @Sendable (Result<ProxyRoute, URLError>) -> Void
  ) -> Result<ProxyRoute, URLError>? {
    guard case .system = source else { return immediateResult(of: { ask(url, $0) }, otherwise: later) }
    return tools.system.proxies(for: url) { later(.success(self.route($0))) }.map { .success(route($0)) }
  }

  /// Asks the script.
  /// - Parameter take: gets the route for a URL, or an error; synchronously where nothing has to be asked.
  private func ask(_ url: URL, _ take: @escaping @Sendable (Result<ProxyRoute, URLError>) -> Void) {
    guard let question = PACQuestion(url), !exceptions.isExcepted(url.absoluteString) else {
      return take(.success(ProxyRoute([nil])))
    }
    switch source {
    case .system: break
    case .failure(let failure): take(.failure(Self.error(failure, url)))
    case .script(let text): ask(question, of: text, url, take)
    case .file(let file):
      file.get { outcome in
        switch outcome {
        case .success(let script): self.ask(question, of: script, url, take)
        case .failure(let failure): take(.failure(Self.error(failure.failure, url, failure.cause)))
        }
      }
    }
  }

  /// A proxy could not be reached: it is tried last for a while.
  func recordUnreachable(_ proxy: ProxyServer) {
    unreachable.withLock { $0.record(proxy, at: .now) }
  }

  func flush() {
    if case .file(let file) = source { file.forget() }
  }

  func invalidate() {
    if case .file(let file) = source { file.close() }
    evaluator?.close()
  }

  // MARK: Scripts

  private func ask(
    _ question: PACQuestion, of script: String, _ url: URL,
    _ take: @escaping @Sendable (Result<ProxyRoute, URLError>) -> Void
  ) {
    if let reason = Self.invalidReason(script) { return take(.failure(Self.error(.unusable(reason), url))) }
    evaluator?.ask(question, of: script) { result in
      switch result {
      case .failure(let failure): take(.failure(Self.error(failure, url)))
      case .success(let text):
        guard let candidates = PACResult.candidates(text) else {
          return take(.failure(Self.error(.answer(text), url)))
        }
        take(.success(self.route(candidates)))
      }
    }
  }

  private static func invalidReason(_ script: String) -> String? {
    if script.utf8.count > PACHelperProtocol.scriptLimit { return "it is longer than 1 MiB" }
    return script.utf8.contains(0) ? "it has a byte 0 in it" : nil
  }

  private func route(_ candidates: [ProxyServer?]) -> ProxyRoute {
    ProxyRoute(unreachable.withLock { $0.sorted(candidates, at: .now) })
  }

  /// CFNetwork's error for scripts (`kCFErrorPACFileError`) is the cause, in the place where Apple's systems have it.
  private static func error(_ failure: PACFailure, _ url: URL, _ cause: URLError? = nil) -> URLError {
    // A load that waits for connectivity waits for its script, too.
    let lacksNetwork = cause?.code == .notConnectedToInternet
    return URLError(
      lacksNetwork ? .notConnectedToInternet : .cannotConnectToHost,
      message: "The proxy auto-config script says no way to \(url.redactedDescription): \(failure.message).", url: url,
      underlying: cause
        ?? NSError(
          domain: "kCFErrorDomainCFNetwork", code: 308, userInfo: [NSLocalizedDescriptionKey: failure.message]))
  }
}
