import Glibc
internal import URLLoadingCCurl

/// Direct receiving: bytes that arrive on an upgraded connection are read from its socket without libcurl.
///
/// After each read of such a connection libcurl 7.88 polls the socket and updates the transfer's times, limits and progress. An echo of
/// 64 bytes (M1) takes 6 to 9 % less CPU without that.
///
/// Used without TLS, and if nothing is to be decoded. libcurl detects the end of the connection, and reads on after a full piece.
struct DirectReceiving {
  /// In bytes.
  static let pieceLength = 16 << 10

  /// The socket; nil if libcurl reads everything.
  fileprivate(set) var socket: Int32?
  /// Bytes that were read without libcurl.
  fileprivate(set) var receivedBytes: Int64 = 0
  /// Bytes that the handler has refused: it gets them before any that libcurl reads meanwhile.
  fileprivate var refused: [UInt8] = []
}

extension EasyHandle {
  /// The server has upgraded the connection.
  func prepareDirectReceiving() {
    guard let shape, !shape.usesTLS, !shape.decodesContent, let multi, let socket = run.switchedSocket else { return }
    run.directReceiving.socket = socket
    multi.upgraded[socket] = self
  }

  /// Reads what has arrived.
  /// - Returns: false if libcurl must read.
  func receiveDirectly() -> Bool {
    guard !run.isReceivingPaused, !run.isFlushing, run.transfer != nil, let socket = run.directReceiving.socket,
      socket == run.switchedSocket
    else { return false }
    return withUnsafeTemporaryAllocation(byteCount: DirectReceiving.pieceLength, alignment: 1) { buffer in
      let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else {
        // The kernel reports an error of a socket once.
        guard count < 0, errno != EAGAIN, errno != EINTR else { return false }
        strncpy(errorBuffer, strerror(errno), Int(CURL_ERROR_SIZE) - 1)
        multi?.finish(self, CURLE_RECV_ERROR)
        return true
      }
      run.directReceiving.receivedBytes += Int64(count)
      guard takes(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
        applyPause()
        return true
      }
      return count < buffer.count
    }
  }

  /// Delivers the bytes that the handler has refused.
  func deliverRefused() {
    guard !run.directReceiving.refused.isEmpty else { return }
    let refused = exchange(&run.directReceiving.refused, with: [])
    _ = refused.withUnsafeBytes { takes($0) }
  }

  /// Whether the handler takes the bytes; if not, they are kept for it.
  private func takes(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if receive(body: bytes) == bytes.count { return true }
    run.directReceiving.refused = [UInt8](bytes)
    return false
  }
}
