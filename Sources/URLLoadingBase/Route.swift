import Glibc

/// Whether this machine has an interface and a route for an address. Whether somebody is there is another question.
package enum Route {
  /// Whether there is a route. Sends nothing: to connect a datagram socket is to look its route up (udp(7)).
  package static func exists(to address: UnsafePointer<sockaddr>, length: socklen_t) -> Bool {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(Int32(address.pointee.sa_family), type, 0)
    // Without a descriptor nothing is known, which must not look like a network that is away.
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    guard connect(descriptor, address, length) != 0 else { return true }
    switch errno {
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL: return false
    default: return true
    }
  }

  /// Whether a connection to an address failed because there is no route.
  /// - Parameter error: `errno` of the call that failed.
  package static func isMissing(
    _ error: Int32, to address: UnsafePointer<sockaddr>, length: socklen_t
  ) -> Bool {
    switch error {
    case ENETUNREACH, ENETDOWN: true
    // The first also means that a host on the way, or the neighbour itself, did not answer; the second, for IPv6 that this machine has
    // no address to send from, also that all of its ports are in use.
    case EHOSTUNREACH, EADDRNOTAVAIL: !exists(to: address, length: length)
    default: false
    }
  }
}
