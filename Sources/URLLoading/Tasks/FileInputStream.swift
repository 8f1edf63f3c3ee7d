import Glibc

/// A file's bytes as a stream. Children of the process would inherit the descriptor of Foundation's own.
///
/// Mutable state: as of every stream, used by one thread at a time.
final class FileInputStream: InputStream {
  private let path: String
  private let offset: Int64
  private var descriptor: Int32 = -1
  private var status = Stream.Status.notOpen
  private var failure: (any Error)?

  /// - Parameter offset: the first byte that is read.
  init(path: String, from offset: Int64 = 0) {
    self.path = path
    self.offset = offset
    super.init(data: Data())
  }

  deinit {
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { failure }
  override var hasBytesAvailable: Bool { status == .open }

  override func open() {
    guard status == .notOpen else { return }
    descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 || offset > 0 && lseek(descriptor, off_t(offset), SEEK_SET) < 0 { fail() } else { status = .open }
  }

  override func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    status = .closed
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    guard status == .open else { return status == .atEnd ? 0 : -1 }
    while true {
      let count = Glibc.read(descriptor, buffer, length)
      if count < 0, errno == EINTR { continue }
      if count < 0 { fail() }
      if count == 0, length > 0 { status = .atEnd }
      return count
    }
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  private func fail() {
    failure = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO, userInfo: [NSFilePathErrorKey: path])
    status = .error
  }
}
