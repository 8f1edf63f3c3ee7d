internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// The bytes that a task sends on a full-duplex connection, as a body source of the transfer engine. It is read after the connection is
/// established, and so never twice.
final class UpstreamBody: TransferBodySource {
  private let upstream: URLProtocolUpstream

  init(_ upstream: URLProtocolUpstream) {
    self.upstream = upstream
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
    switch upstream.read(into: buffer) {
    case .bytes(let count): .bytes(count)
    case .wait: .wait
    case .end: .end
    case .secure: .secure
    }
  }

  func rewind() -> Bool { true }
}

extension TransferRequest {
  /// Asks for an upgrade to a full-duplex connection, by the request's header fields.
  mutating func switchProtocols(_ upstream: URLProtocolUpstream) {
    switchesProtocols = true
    decodesContent = false
    body = .source(UpstreamBody(upstream), length: nil)
  }

  /// Asks for a connection alone, without a protocol.
  mutating func connect(_ upstream: URLProtocolUpstream) {
    connectsOnly = true
    body = .source(UpstreamBody(upstream), length: nil)
  }
}
