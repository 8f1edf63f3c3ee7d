import Glibc
internal import URLLoadingBase

/// Passes datagrams on between clients and a server, both on 127.0.0.1, until it is told not to.
///
/// Mutable state: `state`, guarded by its lock.
// Safe to share: the mutable state is guarded as said above.
package final class DatagramRelay: @unchecked Sendable {
  private struct State {
    var isDropping = false
    var received = 0
    var lastDatagram = MonotonicInstant.now
    var isStopped = false
  }

  /// Where clients send to.
  package let port: UInt16
  private let server: UInt16?
  private let front: Int32
  private let state = Locked(State())

  /// Starts.
  /// - Parameters:
  ///   - server: the server's port; nil for a relay that drops everything.
  ///   - port: its own; nil for any.
  package init(to server: UInt16?, on port: UInt16? = nil) throws {
    self.server = server
    let front = try Self.socket(boundTo: port ?? 0)
    self.front = front
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) { pointer in
      _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(front, $0, &length) }
    }
    self.port = UInt16(bigEndian: address.sin_port)
    BlockingThread.run(name: "datagram relay") { self.run() }
  }

  /// Whether nothing is passed on, in either direction.
  package var isDropping: Bool {
    get { state.withLock { $0.isDropping } }
    set { state.withLock { $0.isDropping = newValue } }
  }

  /// How many datagrams have come from clients.
  package var received: Int { state.withLock { $0.received } }

  /// Waits until nothing has come from either side for a time: what is on its way is acknowledged later (RFC 9000, section 13.2.1).
  package func waitForQuiet(_ time: Duration = .milliseconds(300)) async throws {
    _ = try await eventually { self.state.withLock { $0.lastDatagram.advanced(by: time) < .now } }
  }

  /// Ends within a moment.
  package func stop() { state.withLock { $0.isStopped = true } }

  private static func socket(boundTo port: UInt16) throws -> Int32 {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(AF_INET, type, 0)
    guard descriptor >= 0 else { throw TestServerError.system("socket") }
    guard LoopbackAddress(port: port).withPointer({ bind(descriptor, $0, $1) }) == 0 else {
      let error = TestServerError.system("bind to port \(port)")
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// A client, and the socket that speaks to the server for it.
  private struct Client {
    let address: sockaddr_in
    let back: Int32
  }

  private func run() {
    var clients: [Client] = []
    defer {
      for client in clients { close(client.back) }
      close(front)
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !state.withLock({ $0.isStopped }) {
      var descriptors = ([front] + clients.map(\.back)).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&descriptors, nfds_t(descriptors.count), 50)
      while let (count, address) = receive(&buffer) {
        let isDropping = state.withLock { state in
          state.received += 1
          state.lastDatagram = .now
          return state.isDropping
        }
        guard !isDropping, let server else { continue }
        var client = clients.first { $0.address.sin_port == address.sin_port }
        if client == nil, let back = try? Self.socket(boundTo: 0) {
          _ = LoopbackAddress(port: server).withPointer { connect(back, $0, $1) }
          client = Client(address: address, back: back)
          clients.append(Client(address: address, back: back))
        }
        if let client { _ = send(client.back, buffer, count, 0) }
      }
      for client in clients {
        while true {
          let count = recv(client.back, &buffer, buffer.count, 0)
          guard count >= 0 else { break }
          state.withLock { $0.lastDatagram = .now }
          guard !isDropping else { continue }
          var address = client.address
          withUnsafePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
              sendto(front, buffer, count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
          }
        }
      }
    }
  }

  private func receive(_ buffer: inout [UInt8]) -> (Int, sockaddr_in)? {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(front, &buffer, buffer.count, 0, $0, &length)
      }
    }
    return count < 0 ? nil : (count, address)
  }
}
