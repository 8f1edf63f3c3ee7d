import URLLoading
internal import URLLoadingBase

/// The session of all background loads of the command, which one process has at a time.
enum BackgroundSessions {
  private static let identifier = "org.swift-url-loading.urlload"
  /// How long another process may have it.
  private static let patience = Duration.seconds(20)

  /// Waits until the session is this process's.
  /// - Parameter options: those of the connection; nil where nothing is added.
  static func open(_ options: LoadOptions?, _ delegate: BackgroundTaker) async throws(Failure) -> URLSession {
    let end = MonotonicInstant.now.advanced(by: patience)
    while true {
      let session = URLSession(configuration: configuration(options), delegate: delegate, delegateQueue: nil)
      guard let error = await session.backgroundFailure() else { return session }
      session.invalidateAndCancel()
      guard error.code == .backgroundSessionInUseByAnotherProcess else {
        throw Failure(.other, SafeText.sentence(error.localizedDescription), advice: "see urlload jobs --help")
      }
      guard MonotonicInstant.now < end else {
        throw Failure(
          .other, "another urlload --background or urlload jobs does not end", advice: "end that, or try again later")
      }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  private static func configuration(_ options: LoadOptions?) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
    configuration.httpCookieStorage = nil
    configuration.asksAboutConnections = false
    if let options {
      let other = RequestBuilder.configuration(options)
      configuration.certificateAuthorityFile = other.certificateAuthorityFile
      configuration.connectionProxyDictionary = other.connectionProxyDictionary
      configuration.tlsMinimumSupportedProtocolVersion = other.tlsMinimumSupportedProtocolVersion
      configuration.tlsMaximumSupportedProtocolVersion = other.tlsMaximumSupportedProtocolVersion
      configuration.httpMaximumConnectionsPerHost = other.httpMaximumConnectionsPerHost
      configuration.network = other.network
      configuration.httpOmittedHeaders = other.httpOmittedHeaders
      if let maxTime = options.maxTime {
        configuration.timeoutIntervalForResource = maxTime
        configuration.timeoutIntervalForRequest = maxTime
      }
    }
    if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
      configuration.backgroundLaunch = .executable(path: own, arguments: ["jobs", "take"])
    }
    return configuration
  }
}
