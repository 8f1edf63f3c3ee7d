import Foundation
import Glibc
internal import URLLoadingBase

/// Key distribution centers that take requests, by UDP and TCP, and answer none.
///
/// MIT's client goes from one to the next, a second for UDP and ten for TCP, and then over all of them twice more: with six
/// it takes a minute and a half to give up.
///
/// Mutable state: `requests`, guarded by its lock. The descriptors are open as long as this lives.
package final class SilentKDC: Sendable {
  /// One of them. Connections are made by the kernel, and never accepted.
  private struct Center: Sendable {
    let stream: ListeningSocket
    let datagrams: Int32
  }

  private let centers: [Center]
  private let requests = Locked<Set<Data>>([])

  /// Opens as many, on ports that the system chooses.
  package init(count: Int = 6) throws {
    var centers: [Center] = []
    do {
      while centers.count < count { centers.append(try Self.open()) }
    } catch {
      centers.forEach(Self.close)
      throw error
    }
    self.centers = centers
  }

  deinit {
    centers.forEach(Self.close)
  }

  /// Their ports.
  package var ports: [UInt16] { centers.map(\.stream.port) }

  /// How many different requests have come by UDP: one that is sent again is the same.
  package var requestCount: Int {
    requests.withLock { requests in
      for center in centers {
        while let datagram = Self.receive(center.datagrams) { requests.insert(datagram) }
      }
      return requests.count
    }
  }

  private static func receive(_ descriptor: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : Data(buffer[..<count])
  }

  /// The port that is free for TCP may be taken for UDP.
  private static func open() throws -> Center {
    for _ in 0..<100 {
      let stream = try ListeningSocket()
      let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      let bound = LoopbackAddress(port: stream.port).withPointer { bind(datagrams, $0, $1) }
      let center = Center(stream: stream, datagrams: datagrams)
      if bound == 0 { return center }
      close(center)
    }
    throw TestServerError("no port that is free for both UDP and TCP")
  }

  private static func close(_ center: Center) {
    center.stream.close()
    if center.datagrams >= 0 { Glibc.close(center.datagrams) }
  }
}
