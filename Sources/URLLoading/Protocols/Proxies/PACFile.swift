internal import URLLoadingBase

/// The script of a session, loaded by a session of its own when the first load needs it, and kept until the session is flushed.
///
/// A script that could not be loaded is loaded again for the next load that needs it.
///
/// Mutable state: `state`, guarded by its lock.
final class PACFile: Sendable {
  typealias Outcome = Result<String, PACFileFailure>

  private enum State: Sendable {
    case unknown
    case loading([@Sendable (Outcome) -> Void])
    case known(String)
  }

  private let url: URL
  private let session: URLSession
  private let state = Locked(State.unknown)

  init(_ url: URL, configuration: URLSessionConfiguration, timeLimit: Duration) {
    self.url = url
    let own = URLSessionConfiguration.ephemeral
    // The way to the script cannot depend on it.
    own.connectionProxyDictionary = [:]
    own.urlCache = nil
    own.httpCookieStorage = nil
    own.urlCredentialStorage = nil
    own.timeoutIntervalForResource = Double(timeLimit.wholeNanoseconds) / 1e9
    own.loadEnvironment = configuration.loadEnvironment
    own.certificateAuthorityFile = configuration.certificateAuthorityFile
    own.tlsMinimumSupportedProtocolVersion = configuration.tlsMinimumSupportedProtocolVersion
    own.tlsMaximumSupportedProtocolVersion = configuration.tlsMaximumSupportedProtocolVersion
    session = URLSession(configuration: own)
  }

  /// - Parameter take: gets the script; at once where it is known.
  func get(_ take: @escaping @Sendable (Outcome) -> Void) {
    let (known, isFirst) = state.withLock { state -> (String?, Bool) in
      switch state {
      case .known(let script): return (script, false)
      case .loading(let waiting):
        state = .loading(waiting + [take])
        return (nil, false)
      case .unknown:
        state = .loading([take])
        return (nil, true)
      }
    }
    if let known { return take(.success(known)) }
    guard isFirst else { return }
    let receiver = PACFileReceiver { outcome in
      let waiting = self.state.withLock { state -> [@Sendable (Outcome) -> Void] in
        guard case .loading(let waiting) = state else { return [] }
        state = (try? outcome.get()).map { .known($0) } ?? .unknown
        return waiting
      }
      for take in waiting { take(outcome) }
    }
    let task = session.dataTask(with: url)
    task.delegate = receiver
    task.resume()
  }

  /// The script is loaded anew for the next load.
  func forget() {
    state.withLock { state in
      if case .known = state { state = .unknown }
    }
  }

  func close() { session.invalidateAndCancel() }
}

/// Why the file of a script is not there, and the error of its load.
struct PACFileFailure: Error {
  var failure: PACFailure
  var cause: URLError?
}
