import Foundation
internal import URLLoadingBase

/// Graceful shutdown at a signal: keeps what was loaded as part files, removes partial files of uploads, and restores the terminal. A second signal ends the
/// command at once.
///
/// Mutable state: `state`, guarded by its lock.
enum Signals {
  private struct State {
    var sources: [any DispatchSourceSignal] = []
    var uploads: UploadSession?
    var isEnding = false
  }

  private static let state = Locked(State())
  /// Seconds after which a line says what the command waits for.
  private static let noticeDelay: TimeInterval = 0.3

  /// Installs the handlers. From now on a closed pipe is an error of `write`.
  static func install(_ console: Console) {
    signal(SIGPIPE, SIG_IGN)
    let registered = DispatchGroup()
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let before = signal(number, SIG_IGN)
      // A signal that is ignored stays so: SIGHUP under nohup(1), SIGINT in a background job of a script.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { continue }
      registered.enter()
      state.withLock { state in
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { end(number, console) }
        source.setRegistrationHandler { registered.leave() }
        state.sources.append(source)
        source.resume()
      }
    }
    // Until the handlers are registered a signal would be lost.
    _ = registered.wait(timeout: .now() + 1)
  }

  /// A signal cancels these uploads, and waits until they have removed what they stored.
  static func register(_ uploads: UploadSession) {
    state.withLock { $0.uploads = uploads }
  }

  /// Suspends for good where a signal is ending the command, so that nothing else writes a line or ends it.
  static func suspendIfEnding() async {
    await withUnsafeContinuation { continuation in
      // Else never resumed: the process ends with the signal's clean-up.
      if !state.withLock({ $0.isEnding }) { continuation.resume() }
    }
  }

  private static func end(_ number: Int32, _ console: Console) {
    let (isFirst, uploads) = state.withLock { state in
      defer { state.isEnding = true }
      return (!state.isEnding, state.uploads)
    }
    let event = number == SIGINT ? "interrupted" : "terminated"
    guard isFirst else { leave(number, "\(event) again: what was stored in part may be left", console) }
    let kept = PartialFiles.shared.end().map(\.text)
    let left = kept + PartialFiles.shared.overwritten.map { InPlaceOutput.damage(to: $0) }
    guard left.isEmpty else { leave(number, "\(event): \(left.joined(separator: "; "))", console) }
    guard let uploads else { leave(number, "\(event): nothing of unfinished files is left", console) }
    DispatchQueue.global().asyncAfter(deadline: .now() + noticeDelay) {
      console.line("urlload: \(event): removing what was stored in part; a second signal does not wait for that")
    }
    uploads.end(cancels: true) { left in
      leave(
        number, "\(event): \(left.isEmpty ? "nothing of unfinished files is left" : UploadSession.text(left))", console)
    }
  }

  /// Ends by the signal itself, so that a shell that runs a loop ends that, too.
  private static func leave(_ number: Int32, _ text: String, _ console: Console) -> Never {
    Terminal.restore()
    console.endProgress()
    console.line("urlload: " + text)
    _ = OpenArchive.shared.close()
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    _exit((number == SIGINT ? ExitReason.interrupted : .terminated).rawValue)
  }
}
