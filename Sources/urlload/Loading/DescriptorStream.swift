import Foundation

/// What comes from a descriptor, as a stream: from where that stands, also of a socket, which no path leads to.
///
/// Mutable state: as of every stream, used by one thread at a time.
final class DescriptorStream: InputStream {
  /// Where the descriptor comes from.
  enum Source: Equatable, Sendable {
    case standardInput
    /// A pipe, which is opened when it is read: that waits for whoever writes.
    case path(String)
  }

  private let source: Source
  private let input: InputStatus
  private var descriptor: Int32 = -1
  private var status = Stream.Status.notOpen
  private var failure: (any Error)?

  init(_ source: Source, _ input: InputStatus) {
    (self.source, self.input) = (source, input)
    super.init(data: Data())
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  override var streamStatus: Stream.Status { status }
  override var streamError: (any Error)? { failure }
  override var hasBytesAvailable: Bool { status == .open }

  override func open() {
    if status == .notOpen { status = .open }
  }

  private func openSource() {
    switch source {
    case .standardInput: descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    case .path(let path): descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    }
    if descriptor < 0 { fail() }
  }

  override func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    status = .closed
  }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
    // Not when the stream is opened: whoever does that may wait for nobody.
    if status == .open, descriptor < 0 { openSource() }
    guard status == .open else { return status == .atEnd ? 0 : -1 }
    while true {
      let count = Glibc.read(descriptor, buffer, length)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // Another process may have made it non-blocking.
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, -1)
        continue
      }
      if count < 0 { fail() } else { input.use() }
      if count == 0, length > 0 { status = .atEnd }
      return count
    }
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  private func fail() {
    failure = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    status = .error
  }
}
