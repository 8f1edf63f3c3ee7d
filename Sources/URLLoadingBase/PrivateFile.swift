import Foundation

/// Writes files that their owner alone may read.
package enum PrivateFile {
  /// Writes a file as a whole, in place of what was there, or not at all. What is no regular file is written to.
  package static func write(_ data: Data, to url: URL) throws {
    var rest = data[...]
    try write(to: url) { exchange(&rest, with: Data()[...]) }
  }

  /// Writes the pieces that `next` gives, an empty one after the last.
  package static func write<Piece: ContiguousBytes & Collection>(to url: URL, pieces next: () throws -> Piece) throws {
    guard url.isFileURL else {
      throw CocoaError(
        .fileWriteUnsupportedScheme,
        userInfo: [NSLocalizedDescriptionKey: "\(url.absoluteString) is no file", NSURLErrorKey: url])
    }
    // A link stays one.
    let path = url.resolvingSymlinksInPath().path
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure(errno, path) }
      defer { close(descriptor) }
      return try write(next, to: descriptor, path)
    }
    // Made with mode 0600, beside the file, so that it can take its place.
    let temporary = "\(path).\(UInt64.random(in: 0 ... .max))"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(errno, path) }
    defer { close(descriptor) }
    do {
      try write(next, to: descriptor, path)
      guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw failure(errno, path) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private static func write<Piece: ContiguousBytes & Collection>(
    _ next: () throws -> Piece, to descriptor: Int32, _ path: String
  ) throws {
    while case let piece = try next(), !piece.isEmpty {
      let isWritten = piece.withUnsafeBytes { DescriptorIO.write($0, to: descriptor) }
      guard isWritten else { throw failure(errno, path) }
    }
  }

  private static func failure(_ code: Int32, _ path: String) -> CocoaError {
    let kind: CocoaError.Code =
      switch code {
      case ENOENT: .fileNoSuchFile
      case EACCES, EPERM: .fileWriteNoPermission
      case ENOSPC, EDQUOT: .fileWriteOutOfSpace
      case EROFS: .fileWriteVolumeReadOnly
      default: .fileWriteUnknown
      }
    return CocoaError(
      kind,
      userInfo: [
        NSLocalizedDescriptionKey: "\(path) cannot be written (\(String(cString: strerror(code))))",
        NSFilePathErrorKey: path, NSUnderlyingErrorKey: POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO),
      ])
  }
}
