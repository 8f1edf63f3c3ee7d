import Foundation

/// Says once for each reason, on standard error, that something is kept in memory alone.
///
/// Mutable state: `written`, guarded by its lock.
package enum StorageWarning {
  private static let written = Locked<Set<String>>([])

  /// Writes a line, unless the same one was written before.
  package static func write(_ message: String) {
    guard written.withLock({ $0.insert(message).inserted }) else { return }
    let bytes = Array("URLLoading: \(message)\n".utf8)
    // Standard error may be a file on a disk that is full.
    _ = bytes.withUnsafeBytes { DescriptorIO.write($0, to: STDERR_FILENO) }
  }
}
