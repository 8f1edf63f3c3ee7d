import Foundation
internal import URLLoadingBase

/// A file that a body is written to before its entry is in the index. One that is left when its process is killed is removed later.
///
/// Mutable state: the file, written by one call at a time.
final class DiskCachePart: Sendable {
  private let descriptor: Int32
  private let path: String

  /// Nil where it cannot be made.
  init?(path: String) {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { return nil }
  }

  // Also of one that could not be made.
  deinit { if descriptor >= 0 { close(descriptor) } }

  /// - Returns: false where the disk is full, or fails.
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool { DescriptorIO.write(bytes, to: descriptor) }

  /// Gives the file its name, when its bytes are on the disk: an entry must not outlive its body where the power fails. Whether the name
  /// outlives that does not matter: an entry without its file goes when it is asked for.
  func move(to name: String) -> Bool {
    guard fdatasync(descriptor) == 0, rename(path, name) == 0 else {
      discard()
      return false
    }
    return true
  }

  func discard() { unlink(path) }
}
