internal import URLLoadingBase

/// A regular file. After each read its version must be the one that was opened.
///
/// Mutable state: `file`, guarded by its lock.
final class LocalFileSource: RandomAccessSource {
  /// Bytes that are read between checks for a cancellation.
  private static let largestStep: Int64 = 4 << 20

  let url: URL
  let length: Int64
  let validators: ResourceValidators
  let mimeType: String?
  let waitsForDisk = true
  private let version: FileVersion
  private let file: Locked<OpenFile?>

  /// Opens a file; nil for a pipe, a device and the like, which cannot be read at positions.
  init?(_ url: URL) throws(URLError) {
    // Checked first, because the writer of a pipe would notice that it is opened.
    var status = stat()
    let path = try FilePath(url)
    guard stat(path.characters, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
      return nil
    }
    let file = try OpenFile(reading: url)
    guard file.isRegular else { return nil }
    guard let version = FileVersion(of: file.descriptor), version.size == file.length else {
      throw URLError(
        .resourceUnavailable, message: "\(url.redactedDescription) changed while it was opened.", url: url)
    }
    self.url = url
    self.version = version
    length = version.size
    validators = file.validators
    mimeType = file.mimeType
    self.file = Locked(file)
  }

  func abandon(_ read: RunningRead) {}

  func advance(_ read: inout RunningRead, into destination: UnsafeMutableRawPointer) throws -> ReadStep {
    // Keeps the descriptor open until the read is over, whoever calls `close()` meanwhile.
    guard let file = file.withLock({ $0 }) else { throw closure }
    let wanted = Int(min(read.bytes.upperBound - read.position, Self.largestStep))
    let start = destination + Int(read.position - read.bytes.lowerBound)
    let count = DescriptorIO.uninterrupted { pread(file.descriptor, start, wanted, off_t(read.position)) }
    let reason = errno
    guard FileVersion(of: file.descriptor) == version, count != 0 else {
      throw URLError(
        .resourceUnavailable, message: "\(url.redactedDescription) changed while it was read; open it again.", url: url)
    }
    guard count > 0 else { throw file.readFailure(reason) }
    read.position += Int64(count)
    return read.isComplete ? .finished : .more
  }

  func close() {
    file.withLock { $0 = nil }
  }
}
