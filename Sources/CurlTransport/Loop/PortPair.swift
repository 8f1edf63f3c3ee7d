import Glibc

/// The ports of a connection. One of them does not do: the kernel gives the same local port to connections with different peers.
struct PortPair: Hashable {
  var local: Int
  var remote: Int
}

extension PortPair {
  /// Whether a socket of whatever family is connected.
  static func hasPeer(_ descriptor: Int32) -> Bool {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) == 0 }
    }
  }

  /// What stands for the ports of connections to a Unix socket, which have none, and which libcurl does not tell apart.
  /// - Parameter origin: that of the request; those to one have been verified by the same rules.
  init(ofUnixSocketFor origin: String) {
    self.init(local: origin.hashValue, remote: -1)
  }

  /// The ports of a connected socket; nil when it is not one.
  init?(of descriptor: Int32) {
    guard let local = Self.localPort(of: descriptor),
      let remote = Self.port({ getpeername(descriptor, $0, $1) })
    else { return nil }
    self.init(local: local, remote: remote)
  }

  /// The port that a socket is bound to; nil when it is not bound to one.
  static func localPort(of descriptor: Int32) -> Int? { port { getsockname(descriptor, $0, $1) } }

  private static func port(
    _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), ask(base, &size) == 0 else {
        return nil
      }
      // The port is in the same place for both families; others have none.
      let family = Int32(bytes.loadUnaligned(as: sa_family_t.self))
      guard family == AF_INET || family == AF_INET6 else { return nil }
      return Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }
  }
}
