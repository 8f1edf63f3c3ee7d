import Foundation
internal import URLLoadingBase

/// Standard error: lines of text, and below them a line of progress where that is a terminal.
///
/// Mutable state: `state`, guarded by its lock, which also keeps lines from mixing.
final class Console: Sendable {
  private struct State {
    var progress = ""
    var isHeld = false
  }

  private let state = Locked(State())

  /// Writes a line above the line of progress. Control characters in it become harmless.
  func line(_ text: String) {
    state.withLock { state in
      let erase = state.progress.isEmpty ? "" : "\r\u{1B}[K"
      Self.write(erase + SafeText.line(text) + "\n" + state.progress)
    }
  }

  /// Shows a line of progress in place of the last one.
  func show(progress text: String) {
    state.withLock { state in
      guard !state.isHeld else { return }
      state.progress = text
      Self.write("\r\u{1B}[K" + text)
    }
  }

  /// Takes the line of progress away, and shows none, while the user is asked something.
  func holdProgress(_ holds: Bool) {
    state.withLock { state in
      if holds, !state.progress.isEmpty { Self.write("\r\u{1B}[K") }
      state.progress = ""
      state.isHeld = holds
    }
  }

  /// Lets the last line of progress stand.
  func endProgress() {
    state.withLock { state in
      if !state.progress.isEmpty { Self.write("\n") }
      state.progress = ""
    }
  }

  private static func write(_ text: String) {
    // Where standard error is gone there is nobody to tell.
    try? DescriptorWriter.write(Data(text.utf8), to: STDERR_FILENO)
  }
}
