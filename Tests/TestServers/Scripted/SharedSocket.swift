import Glibc
internal import URLLoadingBase

/// A connection's descriptor, which its script's thread uses and the server may shut down from another.
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
