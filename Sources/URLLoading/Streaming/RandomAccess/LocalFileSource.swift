internal import URLLoadingBase

/// A regular file, read where it is.
///
/// What is read is of the version that was opened: after each read the file must be as it was.
///
/// Mutable state: `file`, guarded by its lock.
final class LocalFileSource: RandomAccessSource {
  /// What changes when somebody writes to a file.
  private struct Version: Equatable {
    var device: dev_t
    var inode: ino_t
    var size: Int64
    var seconds: Int
    var nanoseconds: Int

    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      device = status.st_dev
      inode = status.st_ino
      size = Int64(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  /// The most that is read before a cancelled read is noticed.
  private static let largestStep: Int64 = 4 << 20

  let url: URL
  let length: Int64
  let validators: ResourceValidators
  let mimeType: String?
  let waitsForDisk = true
  private let version: Version
  private let file: Locked<OpenFile?>

  /// Opens a file; nil for a pipe, a device and the like, which have no positions to read at.
  init?(_ url: URL) throws(URLError) {
    // Opening a pipe would already be noticed by its writer.
    var status = stat()
    let path = try FilePath(url)
    guard stat(path.characters, &status) != 0 || [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else {
      return nil
    }
    let file = try OpenFile(reading: url)
    guard file.isRegular else { return nil }
    guard let version = Version(file.descriptor), version.size == file.length else {
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

  func addStream() -> Int { 0 }
  func removeStream(_ stream: Int) {}
  func abandon(_ read: RunningRead) {}

  func begin(_ bytes: Range<Int64>, stream: Int, handle: ReadHandle) throws -> RunningRead {
    RunningRead(bytes: bytes, handle: handle)
  }

  func advance(_ read: inout RunningRead, into destination: UnsafeMutableRawPointer) throws -> ReadStep {
    // Held until the read is over, so that closing meanwhile cannot close the descriptor under it.
    guard let file = file.withLock({ $0 }) else { throw closure }
    let wanted = Int(min(read.bytes.upperBound - read.position, Self.largestStep))
    let start = destination + Int(read.position - read.bytes.lowerBound)
    var count: Int
    repeat { count = pread(file.descriptor, start, wanted, off_t(read.position)) } while count < 0 && errno == EINTR
    let reason = errno
    guard Version(file.descriptor) == version, count != 0 else {
      throw URLError(
        .resourceUnavailable, message: "\(url.redactedDescription) changed while it was read; open it again.", url: url)
    }
    guard count > 0 else { throw file.readFailure(String(cString: strerror(reason))) }
    read.position += Int64(count)
    return read.isComplete ? .finished : .more
  }

  func close() {
    file.withLock { $0 = nil }
  }
}
