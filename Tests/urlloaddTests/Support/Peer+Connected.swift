import Glibc
import Testing

@testable import urlloadd

extension Peer {
  /// A peer, and the program's end of its connection, which the caller closes.
  static func connected() throws -> (peer: Peer, program: Int32) {
    var descriptors: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0)
    return (Peer(descriptor: descriptors[0]), descriptors[1])
  }
}
