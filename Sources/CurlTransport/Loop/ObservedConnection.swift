import Glibc

/// A connection of which somebody is told.
package struct ObservedConnection: Sendable, Hashable {
  /// What no other connection of the process has.
  package let number: UInt64
  /// The address at its other end; nil where there is none that is known.
  package let address: String?
  package let port: Int?

  /// Describes the connection of a socket.
  init(number: UInt64, socket: Int32) {
    self.number = number
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getpeername(socket, address, &length) == 0
          && [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family))
          && getnameinfo(
            address, length, &host, socklen_t(NI_MAXHOST), &service, socklen_t(NI_MAXSERV),
            NI_NUMERICHOST | NI_NUMERICSERV) == 0
      }
    }
    address = isKnown ? Self.text(host) : nil
    port = isKnown ? Int(Self.text(service)) : nil
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
