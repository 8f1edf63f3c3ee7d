import Glibc
internal import URLLoadingBase
internal import URLLoadingCGlibcExtensions

/// The descriptor of a connection or of a listener, which one thread uses and another may shut down.
///
/// Mutable state: whether the descriptor is open, guarded by `open`. It is closed under that lock, so that a shutdown
/// from elsewhere never reaches a new file with the same number.
final class SharedSocket: Sendable {
  let descriptor: Int32
  private let open = Locked(true)

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close()
  }

  /// Waits for a connection to a listening socket; nil once that is shut down.
  func accept() -> SharedSocket? {
    while true {
      let connection = accept4(descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
      if connection >= 0 { return SharedSocket(connection) }
      guard errno == EINTR || errno == ECONNABORTED else { return nil }
    }
  }

  var isOpen: Bool { open.withLock { $0 } }

  func shutdown(_ how: Int = SHUT_RDWR) {
    open.withLock { open in
      if open { _ = Glibc.shutdown(descriptor, Int32(how)) }
    }
  }

  func close(reset: Bool = false) {
    open.withLock { open in
      guard open else { return }
      if reset {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      }
      Glibc.close(descriptor)
      open = false
    }
  }
}
