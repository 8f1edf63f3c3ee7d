import Foundation
import Glibc
import URLLoadingTestServers

/// A Unix socket that takes connections and never says anything.
final class UnixListener: Sendable {
  private let descriptor: Int32
  private let accepted = Watched<[Int32]>([])

  init(path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafeBytes(of: &address) { buffer in
      bind(descriptor, buffer.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(buffer.count))
    }
    guard bound == 0, listen(descriptor, 5) == 0 else { throw TestServerError.system("bind \(path)") }
    Thread.detachNewThread { [descriptor, accepted] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        accepted.update { $0.append(connection) }
      }
    }
  }

  func waitForConnection() async -> Bool { await accepted.wait(timeout: .seconds(10)) { !$0.isEmpty } }

  func close() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    Glibc.close(descriptor)
    accepted.value.forEach { Glibc.close($0) }
  }
}
