import URLLoading
internal import URLLoadingBase

/// The archive that is being written, for the command's end to close: it ends without releasing anything.
///
/// Mutable state: `archive`, guarded by its lock.
final class OpenArchive: Sendable {
  static let shared = OpenArchive()

  private let archive = Locked<HTTPArchiveWriter?>(nil)

  func set(_ archive: HTTPArchiveWriter) { self.archive.withLock { $0 = archive } }

  /// - Returns: what could not be written.
  func close() -> Failure? {
    guard let archive = archive.withLock({ $0.take() }) else { return nil }
    archive.close()
    return archive.error.map { Failure(archiving: $0) }
  }
}

extension Failure {
  /// An archive that cannot be written.
  init(archiving error: any Error) {
    let error = error as? HTTPArchiveError
    self.init(
      .localFile, "cannot write the archive (\(error?.reason ?? "unknown"))", error?.path,
      advice: "name a file in a directory where you may write")
  }
}
