import Glibc
internal import URLLoadingCOpenSSL

/// Keeps a connection readable that can no longer be written to.
///
/// A server may answer, close, and reset the connection for what comes after that (RFC 9112, section 9.6); nginx does when it is
/// configured anew. libcurl, up to 8.23, then gives up the connection and all of its streams at its first write, though their answers have
/// come. So what is written to a closed connection is dropped, and counts as written: reading tells the end.
// Loop thread only: OpenSSL calls within libcurl's calls. The callback has a reference, which goes with the BIO.
final class SessionWrites {
  private let session: OpaquePointer
  private let socket: Int32
  /// How many writes there were, the dropped ones with them.
  private(set) var count = 0
  private var firstDropped = Int.max
  private var alert: Int32?

  /// Watches what a session writes to a socket, which both live as long as the session's BIO.
  init(of session: OpaquePointer, on socket: Int32) {
    self.session = session
    self.socket = socket
    guard let bio = SSL_get_wbio(session), BIO_get_callback_ex(bio) == nil else { return }
    BIO_set_callback_arg(bio, Unmanaged.passRetained(self).toOpaque().assumingMemoryBound(to: CChar.self))
    BIO_set_callback_ex(bio) { bio, operation, _, length, _, _, result, written in
      SessionWrites.called(bio, operation, length, Int(result), written)
    }
  }

  /// Whether nothing that was written since there were `count` writes has left.
  func hasDroppedAll(since count: Int) -> Bool { firstDropped <= count }

  /// What the server has said by a fatal alert (RFC 8446, section 6) after the first write was dropped, in OpenSSL's words. libcurl keeps those
  /// for the failed write alone.
  var alertWords: String? {
    // Alerts are reasons of the library SSL.
    guard let alert, let words = ERR_reason_error_string(UInt(ERR_LIB_SSL << 23 | (SSL_AD_REASON_OFFSET + alert)))
    else { return nil }
    return String(cString: words)
  }

  /// Called before and after each operation on a BIO; returns the operation's result.
  private static func called(
    _ bio: OpaquePointer?, _ operation: Int32, _ length: Int, _ result: Int, _ written: UnsafeMutablePointer<Int>?
  ) -> Int {
    guard operation == BIO_CB_WRITE | BIO_CB_RETURN || operation == BIO_CB_FREE, let writes = writes(of: bio) else {
      return result
    }
    if operation == BIO_CB_FREE {
      writes.release()
      return result
    }
    let isFailed = result <= 0 && BIO_test_flags(bio, BIO_FLAGS_SHOULD_RETRY) == 0
    guard writes._withUnsafeGuaranteedRef({ $0.wrote(isFailed: isFailed) }) else { return result }
    written?.pointee = length
    return 1
  }

  private static func writes(of bio: OpaquePointer?) -> Unmanaged<SessionWrites>? {
    BIO_get_callback_arg(bio).map { Unmanaged.fromOpaque($0) }
  }

  /// Records a write, and decides whether it is dropped.
  private func wrote(isFailed: Bool) -> Bool {
    let number = count
    count += 1
    guard isFailed, isClosed else { return false }
    if firstDropped == .max { expectAlert() }
    firstDropped = min(firstDropped, number)
    return true
  }

  /// Nothing can be sent to the peer any more, nor will anything come.
  private var isClosed: Bool {
    var descriptor = pollfd(fd: socket, events: 0, revents: 0)
    return poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLHUP) != 0
  }

  private func expectAlert() {
    SSL_set_info_callback(session) { session, event, value in
      // The level comes before the description. close_notify, a warning, is no error.
      guard event == SSL_CB_READ_ALERT, value >> 8 == SSL3_AL_FATAL,
        let writes = SessionWrites.writes(of: SSL_get_wbio(session))
      else { return }
      writes._withUnsafeGuaranteedRef { $0.alert = value & 0xFF }
    }
  }
}
