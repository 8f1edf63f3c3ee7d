import Foundation
internal import URLLoadingBase

/// Standard error: lines of text, and below them lines of progress on a terminal.
///
/// Mutable state: `state`, guarded by its lock, under which lines are written.
final class Console: Sendable {
  private struct State {
    var progress: [String] = []
    var isHidden = false
    var isSilent = false
    var showsErrors = true
  }

  private let state = Locked(State())

  /// Sets what is kept from the user.
  func setSilent(_ report: LoadOptions.Report) {
    state.withLock { state in
      state.isSilent = report.isSilent && !report.isVerbose
      state.showsErrors = !report.isSilent || report.showsErrors
    }
  }

  /// Writes a line about how it goes above the progress, with control characters replaced.
  func line(_ text: String) { write(text) { !$0.isSilent || $0.showsErrors } }

  /// Writes a line about what failed.
  func error(_ text: String) { write(text) { $0.showsErrors } }

  /// Writes a line that nothing suppresses.
  func warning(_ text: String) { write(text) { _ in true } }

  /// Writes what failed, and what is kept nonetheless.
  func failure(_ failure: Failure) {
    error(failure.line)
    if let note = failure.note { error(note) }
  }

  private func write(_ text: String, _ isWanted: (State) -> Bool) {
    state.withLock { state in
      guard isWanted(state) else { return }
      Self.write(Self.erasing(state.progress) + SafeText.line(text) + "\n" + state.progress.joined(separator: "\n"))
    }
  }

  /// Replaces the lines of progress.
  func show(progress lines: [String]) {
    state.withLock { state in
      guard !state.isHidden else { return }
      Self.write(Self.erasing(state.progress, always: true) + lines.joined(separator: "\n"))
      state.progress = lines
    }
  }

  /// Moves to the first of these lines, and erases them.
  private static func erasing(_ lines: [String], always: Bool = false) -> String {
    guard !lines.isEmpty || always else { return "" }
    return lines.count > 1 ? "\r\u{1B}[\(lines.count - 1)A\u{1B}[J" : "\r\u{1B}[K"
  }

  /// Hides the lines of progress while the user is asked something.
  func hideProgress(_ isHidden: Bool) {
    state.withLock { state in
      if isHidden, !state.progress.isEmpty { Self.write(Self.erasing(state.progress)) }
      state.progress = []
      state.isHidden = isHidden
    }
  }

  /// Keeps the last lines of progress.
  func endProgress() {
    state.withLock { state in
      if !state.progress.isEmpty { Self.write("\n") }
      state.progress = []
    }
  }

  private static func write(_ text: String) {
    // An error of standard error itself can be shown nowhere.
    try? DescriptorWriter.write(Data(text.utf8), to: STDERR_FILENO, "standard error")
  }
}
