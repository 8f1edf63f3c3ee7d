import Foundation

/// Ends the service when its user or systemd says so.
final class EndSignals {
  private let sources: [any DispatchSourceSignal]

  init(loop: ServiceLoop) {
    sources = [SIGTERM, SIGINT, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { loop.post { $0.end() } }
      source.resume()
      return source
    }
  }

  deinit { for source in sources { source.cancel() } }
}
