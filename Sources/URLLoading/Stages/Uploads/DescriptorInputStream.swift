internal import URLLoadingBase

/// A stream of the bytes that a descriptor reads.
///
/// Mutable state: as of every stream, used by one thread at a time.
package final class DescriptorInputStream: InputStream {
  private let opening: () -> Int32
  private let opensLate: Bool
  private let didRead: () -> Void
  private let path: String?
  private var descriptor: Int32 = -1
  private var status = Stream.Status.notOpen
  private var failure: (any Error)?

  /// - Parameters:
  ///   - path: for errors.
  ///   - opensLate: opens the descriptor with the first read and not with the stream: opening the stream must not block.
  ///   - didRead: is called after each read that the descriptor answers, its end included.
  ///   - opening: gives a descriptor, which is closed with the stream, or -1 and `errno`.
  package init(
    path: String? = nil, opensLate: Bool = false, didRead: @escaping () -> Void = {}, opening: @escaping () -> Int32
  ) {
    self.path = path
    self.didRead = didRead
    self.opensLate = opensLate
    self.opening = opening
    super.init(data: Data())
  }

  /// A file's bytes. Children of the process would inherit the descriptor of Foundation's own stream.
  /// - Parameter offset: the first byte that is read.
  convenience init(file path: String, from offset: Int64 = 0) {
    self.init(path: path) {
      let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0, offset > 0, lseek(descriptor, off_t(offset), SEEK_SET) < 0 else { return descriptor }
      let reason = errno
      Glibc.close(descriptor)
      errno = reason
      return -1
    }
  }

  deinit {
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  package override var streamStatus: Stream.Status { status }
  package override var streamError: (any Error)? { failure }
  package override var hasBytesAvailable: Bool { status == .open }

  package override func open() {
    guard status == .notOpen else { return }
    status = .open
    if !opensLate { openDescriptor() }
  }

  package override func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    status = .closed
  }

  package override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    if status == .open, descriptor < 0 { openDescriptor() }
    guard status == .open else { return status == .atEnd ? 0 : -1 }
    while true {
      let count = DescriptorIO.uninterrupted { Glibc.read(descriptor, buffer, length) }
      if count < 0, errno == EAGAIN {
        // Another process may have made it non-blocking.
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, -1)
        continue
      }
      if count < 0 { fail() } else { didRead() }
      if count == 0, length > 0 { status = .atEnd }
      return count
    }
  }

  // Nothing is buffered that could be lent.
  package override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  private func openDescriptor() {
    descriptor = opening()
    if descriptor < 0 { fail() }
  }

  private func fail() {
    failure = POSIXError(
      POSIXErrorCode(rawValue: errno) ?? .EIO, userInfo: path.map { [NSFilePathErrorKey: $0] } ?? [:])
    status = .error
  }
}
