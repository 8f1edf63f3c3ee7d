import Foundation
import URLLoading
internal import URLLoadingBase

extension URLSession {
  /// A temporary file that a ``DownloadTaskPublisher`` made, removed when the last reference to this is released: while a value waits for
  /// a scheduler the file is there, and where nobody takes it, nothing is left.
  ///
  /// Mutable state: `isTemporary`, guarded by its lock.
  public final class DownloadedFile: Sendable {
    /// Where the file is, until it is moved or this is released.
    public let url: URL
    private let isTemporary = Locked(true)

    init(_ url: URL) {
      self.url = url
    }

    deinit {
      guard isTemporary.withLock({ $0 }) else { return }
      try? FileManager.default.removeItem(at: url)
    }

    /// Moves the file to where it stays.
    /// - Parameter destination: where nothing is yet.
    /// - Throws: what `FileManager` throws; the file stays where it is then.
    public func move(to destination: URL) throws {
      try FileManager.default.moveItem(at: url, to: destination)
      isTemporary.withLock { $0 = false }
    }

    /// Leaves the file where it is: to remove it is up to the caller, now.
    /// - Returns: where it is.
    public func keep() -> URL {
      isTemporary.withLock { $0 = false }
      return url
    }
  }
}
