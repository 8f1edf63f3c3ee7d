import Foundation
import Glibc
internal import URLLoadingBase

/// Finds TCP ports that nobody listens on.
package enum FreePort {
  private static let given = Locked<Set<UInt16>>([])

  /// Below the ports that the system gives to whoever asks for any, clients' ends of connections included: one of those
  /// could be taken again before the server that it is meant for has started.
  private static let range: ClosedRange<UInt16> = {
    let text = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    let first = text?.split(whereSeparator: \.isWhitespace).first.flatMap { UInt16($0) } ?? 32_768
    // Where the system gives out nearly all of them, there is nothing to avoid.
    return first > 12_000 ? 10_000...(first - 1) : 10_000...65_000
  }()

  /// `count` different free ports of the loopback address. None is given twice by one process.
  package static func pick(_ count: Int, ipv6: Bool = false) throws -> [UInt16] {
    var ports: [UInt16] = []
    for _ in 0..<(count * 1000) where ports.count < count {
      let port = UInt16.random(in: range)
      guard let socket = try? ListeningSocket(port: port, ipv6: ipv6, listen: false) else { continue }
      socket.close()
      if given.withLock({ $0.insert(port).inserted }) { ports.append(port) }
    }
    guard ports.count == count else { throw TestServerError("no \(count) free ports") }
    return ports
  }

  /// One free port of the loopback address.
  package static func pick(ipv6: Bool = false) throws -> UInt16 {
    try pick(1, ipv6: ipv6)[0]
  }

  /// Whether this machine has an IPv6 loopback address.
  package static let hasIPv6: Bool = {
    guard let socket = try? ListeningSocket(ipv6: true, listen: false) else { return false }
    socket.close()
    return true
  }()

  /// Whether somebody accepts connections on a loopback port.
  package static func answers(_ port: UInt16, ipv6: Bool = false) -> Bool {
    let descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { Glibc.close(descriptor) }
    return LoopbackAddress(port: port, ipv6: ipv6).withPointer { connect(descriptor, $0, $1) } == 0
  }
}
