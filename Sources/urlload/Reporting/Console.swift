internal import CurlTransport
import Foundation

/// Standard error: lines of text, and below them a line of progress where that is a terminal.
///
/// Mutable state: `progress`, guarded by its lock, which also keeps lines from mixing.
final class Console: Sendable {
  private let progress = Locked("")

  /// Writes a line above the line of progress. Control characters in it become harmless.
  func line(_ text: String) {
    progress.withLock { progress in
      let erase = progress.isEmpty ? "" : "\r\u{1B}[K"
      Self.write(erase + SafeText.line(text) + "\n" + progress)
    }
  }

  /// Shows a line of progress in place of the last one.
  func show(progress text: String) {
    progress.withLock { progress in
      progress = text
      Self.write("\r\u{1B}[K" + text)
    }
  }

  /// Lets the last line of progress stand.
  func endProgress() {
    progress.withLock { progress in
      if !progress.isEmpty { Self.write("\n") }
      progress = ""
    }
  }

  private static func write(_ text: String) {
    // Where standard error is gone there is nobody to tell.
    try? DescriptorWriter.write(Data(text.utf8), to: STDERR_FILENO)
  }
}
