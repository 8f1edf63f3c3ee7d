/// An open connection that takes many transfers at once.
// Loop thread only. The session is libcurl's, which frees it right before it closes the socket; with that, this is dropped.
struct MultiplexedConnection {
  let socket: Int32
  let ports: PortPair
  /// That of TLS; nil where it is not OpenSSL's.
  let session: OpaquePointer?
  /// How much had been written when that was last noted, as it went to the network.
  private(set) var writtenBytes: UInt64?

  /// A request was begun since that was last noted.
  private(set) var isRequested = false
  /// How often nothing new was to be noted since the last possible GOAWAY.
  private var quietNotes = MultiplexedConnection.longSilence

  /// A GOAWAY has 17 bytes at least (RFC 9113, section 6.8), TLS adds 21 or more. Of the frames that libcurl writes unasked, those
  /// with settings and windows are shorter, with the ciphers of TLS 1.3.
  private static let smallestGoAway: UInt64 = 38
  private static let longSilence = 8

  init(socket: Int32, ports: PortPair, session: OpaquePointer?) {
    self.socket = socket
    self.ports = ports
    self.session = session
  }

  /// Whether so many bytes, written at a time, may be a GOAWAY.
  static func mayBeGoAway(_ count: UInt64) -> Bool { count >= smallestGoAway }

  mutating func requestBegins() {
    isRequested = true
  }

  mutating func noteWrittenBytes() {
    guard let session, let now = TLSInspector.writtenBytes(session) else { return }
    let count = now &- (writtenBytes ?? now)
    writtenBytes = now
    quietNotes += 1
    guard count > 0 || isRequested else { return }
    quietNotes = Self.mayBeGoAway(count) && !isRequested ? 0 : Self.longSilence
    isRequested = false
  }

  /// Whether the bytes written since the last note may be a GOAWAY, and not a request.
  var mayHaveWrittenGoAway: Bool {
    guard !isRequested, let session, let writtenBytes, let now = TLSInspector.writtenBytes(session)
    else { return false }
    return Self.mayBeGoAway(now &- writtenBytes)
  }

  /// Whether the last recent write may have been a GOAWAY, and not a request.
  var hasWrittenGoAway: Bool { quietNotes < Self.longSilence }
}
