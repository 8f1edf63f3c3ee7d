import Foundation

/// Ends the service when its user or systemd says so.
final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  init(loop: ServiceLoop) {
    let registered = DispatchGroup()
    sources = [SIGTERM, SIGINT, SIGHUP].map { number in
      signal(number, SIG_IGN)
      registered.enter()
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { loop.post { $0.end() } }
      source.setRegistrationHandler { registered.leave() }
      source.resume()
      return source
    }
    // Until the handlers are registered a signal would be lost. Nobody has an answer of this service yet.
    _ = registered.wait(timeout: .now() + 10)
  }

  deinit { for source in sources { source.cancel() } }
}
