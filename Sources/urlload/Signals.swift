internal import CurlTransport
import Foundation

/// Ends the command at a signal: partial files go, the terminal is as before.
///
/// Mutable state: `sources`, guarded by its lock.
enum Signals {
  private static let sources = Locked<[any DispatchSourceSignal]>([])

  /// From now on signals end the command in good order, and a closed pipe is an error of `write`.
  static func install(_ console: Console) {
    signal(SIGPIPE, SIG_IGN)
    for (number, reason) in [(SIGINT, ExitReason.interrupted), (SIGTERM, .terminated), (SIGHUP, .terminated)] {
      // What nohup, or a shell's background, made deaf stays deaf to hanging up.
      if number == SIGHUP, isIgnored(number) { continue }
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        PartialFiles.shared.removeAll()
        Terminal.restore()
        console.endProgress()
        console.line("urlload: \(number == SIGINT ? "interrupted" : "terminated"): nothing of unfinished files is left")
        _exit(reason.rawValue)
      }
      sources.withLock { $0.append(source) }
      source.resume()
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
  }
}
