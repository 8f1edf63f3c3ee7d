internal import URLLoadingBase
internal import URLLoadingCurlTransport

/// What a task sends on a connection of both directions, for the transfer engine. It is read once the connection is the task's, and so
/// never twice.
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
  /// Asks for a connection of both directions, by the fields that the request has.
  mutating func switchProtocols(_ upstream: URLProtocolUpstream) {
    switchesProtocols = true
    decodesContent = false
    body = .source(UpstreamBody(upstream), length: nil)
  }

  /// Asks for a connection and nothing else.
  mutating func connect(_ upstream: URLProtocolUpstream) {
    connectsOnly = true
    body = .source(UpstreamBody(upstream), length: nil)
  }
}
