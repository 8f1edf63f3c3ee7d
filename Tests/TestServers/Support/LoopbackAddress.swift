import Glibc

/// A port of 127.0.0.1, of another address beside it, or of ::1, as the socket calls want it.
package struct LoopbackAddress {
  /// The port; 0 lets the system choose.
  package var port: UInt16
  /// Whether the address is ::1.
  package var ipv6: Bool
  /// The last number of an address of IPv4: all of 127.0.0.0/8 is the loopback (RFC 6890 section 2.2.2).
  package var host: UInt8

  /// An address.
  package init(port: UInt16, ipv6: Bool = false, host: UInt8 = 1) {
    self.port = port
    self.ipv6 = ipv6
    self.host = host
  }

  /// Calls `body` with the socket address and its length.
  package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if ipv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return Self.cast(&address, body)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0000 + UInt32(host)).bigEndian
    return Self.cast(&address, body)
  }

  private static func cast<Address, Result>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }
}
