import Foundation
internal import URLLoadingBase

/// Standard error: lines of text, and below them a line of progress on a terminal.
///
/// Mutable state: `state`, guarded by its lock, under which lines are written.
final class Console: Sendable {
  private struct State {
    var progress = ""
    var isHidden = false
  }

  private let state = Locked(State())

  /// Writes a line above the line of progress, with control characters replaced.
  func line(_ text: String) {
    state.withLock { state in
      let erase = state.progress.isEmpty ? "" : "\r\u{1B}[K"
      Self.write(erase + SafeText.line(text) + "\n" + state.progress)
    }
  }

  /// Replaces the line of progress.
  func show(progress text: String) {
    state.withLock { state in
      guard !state.isHidden else { return }
      state.progress = text
      Self.write("\r\u{1B}[K" + text)
    }
  }

  /// Hides the line of progress while the user is asked something.
  func hideProgress(_ isHidden: Bool) {
    state.withLock { state in
      if isHidden, !state.progress.isEmpty { Self.write("\r\u{1B}[K") }
      state.progress = ""
      state.isHidden = isHidden
    }
  }

  /// Keeps the last line of progress.
  func endProgress() {
    state.withLock { state in
      if !state.progress.isEmpty { Self.write("\n") }
      state.progress = ""
    }
  }

  private static func write(_ text: String) {
    // An error of standard error itself can be shown nowhere.
    try? DescriptorWriter.write(Data(text.utf8), to: STDERR_FILENO, "standard error")
  }
}
