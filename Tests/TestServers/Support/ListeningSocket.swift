import Glibc

/// A TCP socket bound to a free loopback port, or a Unix socket.
package struct ListeningSocket: Sendable {
  /// The file descriptor.
  package let descriptor: Int32
  /// The port that the system chose, or the one asked for.
  package let port: UInt16

  /// Binds a socket, and listens unless told not to.
  ///
  /// - Parameters:
  ///   - host: the last number of the address, 127.0.0.1 unless told otherwise.
  ///   - receiveBuffer: bytes that wait in each connection; nil for what the system thinks good.
  package init(
    port: UInt16 = 0, ipv6: Bool = false, host: UInt8 = 1, listen: Bool = true, backlog: Int32 = 1024,
    receiveBuffer: Int32? = nil
  ) throws {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    descriptor = socket(ipv6 ? AF_INET6 : AF_INET, type, 0)
    guard descriptor >= 0 else { throw TestServerError.system("socket") }
    do {
      if port != 0 {
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
      }
      if var size = receiveBuffer {
        // Connections have it from the socket that listens (tcp(7)).
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
      }
      let address = LoopbackAddress(port: port, ipv6: ipv6, host: host)
      let bound = address.withPointer { [descriptor] in bind(descriptor, $0, $1) }
      guard bound == 0 else { throw TestServerError.system("bind to port \(port)") }
      if listen {
        guard Glibc.listen(descriptor, backlog) == 0 else { throw TestServerError.system("listen") }
      }
      self.port = try Self.boundPort(descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Binds a Unix socket to a path that is free, and listens.
  package init(path: String, backlog: Int32 = 1024) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    port = 0
    guard descriptor >= 0 else { throw TestServerError.system("socket") }
    do {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw TestServerError("the path \(path) is too long for a socket")
      }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let bound = withUnsafePointer(to: &address) { [descriptor] pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      guard bound == 0 else { throw TestServerError.system("bind to \(path)") }
      guard Glibc.listen(descriptor, backlog) == 0 else { throw TestServerError.system("listen") }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Closes the socket.
  package func close() {
    Glibc.close(descriptor)
  }

  private static func boundPort(_ descriptor: Int32) throws -> UInt16 {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw TestServerError.system("getsockname") }
    // The port sits at the same place in both families' addresses.
    return UInt16(bigEndian: address.sin6_port)
  }
}
