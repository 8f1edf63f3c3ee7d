import Foundation
internal import URLLoadingBase

/// Ends the command at a signal: partial files go, those of uploads too, and the terminal is as before. A second signal waits for no
/// server.
///
/// Mutable state: `state`, guarded by its lock.
enum Signals {
  private struct State {
    var sources: [any DispatchSourceSignal] = []
    var uploads: UploadSession?
    var isEnding = false
  }

  private static let state = Locked(State())
  /// Who waits longer is told why, after so many seconds.
  private static let patience: TimeInterval = 0.3

  /// From now on signals end the command in good order, and a closed pipe is an error of `write`.
  static func install(_ console: Console) {
    signal(SIGPIPE, SIG_IGN)
    let registered = DispatchGroup()
    for (number, reason) in [(SIGINT, ExitReason.interrupted), (SIGTERM, .terminated), (SIGHUP, .terminated)] {
      // What nohup, or a shell's background, made deaf stays deaf to hanging up.
      if number == SIGHUP, isIgnored(number) { continue }
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { end(reason, console) }
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      state.withLock { $0.sources.append(source) }
      source.resume()
    }
    // Until then a signal would be lost, on a busy machine after something was begun.
    _ = registered.wait(timeout: .now() + 1)
  }

  /// A signal breaks off these uploads, and lets them remove what they have begun to store.
  static func attend(to uploads: UploadSession) {
    state.withLock { $0.uploads = uploads }
  }

  /// Whether a signal is ending the command: nobody else says anything more, or ends it.
  static var isEnding: Bool { state.withLock { $0.isEnding } }

  private static func end(_ reason: ExitReason, _ console: Console) {
    let (isFirst, uploads) = state.withLock { state in
      defer { state.isEnding = true }
      return (!state.isEnding, state.uploads)
    }
    let word = reason == .interrupted ? "interrupted" : "terminated"
    guard isFirst else { leave(reason, "\(word) again: what was stored in part may be left", console) }
    PartialFiles.shared.removeAll()
    guard let uploads else { leave(reason, "\(word): nothing of unfinished files is left", console) }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience) {
      console.line("urlload: \(word): removing what was stored in part; a second signal does not wait for that")
    }
    uploads.end(cancels: true) { left in
      leave(
        reason, "\(word): \(left.isEmpty ? "nothing of unfinished files is left" : UploadSession.text(left))", console)
    }
  }

  private static func leave(_ reason: ExitReason, _ text: String, _ console: Console) -> Never {
    Terminal.restore()
    console.endProgress()
    console.line("urlload: " + text)
    _exit(reason.rawValue)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
  }
}
