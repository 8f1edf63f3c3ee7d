import Foundation
import Glibc

/// A connection through a `ServerGate`. Each direction has a thread; the descriptors are closed when both have ended.
struct GateConnection: Sendable {
  let client: SharedSocket
  let server: SharedSocket

  /// Ends the connection in both directions.
  func shutDown() {
    client.shutdown()
    server.shutdown()
  }

  /// Begins to pass bytes on.
  func start(_ number: Int, _ state: Watched<ServerGate.State>) {
    for socket in [client, server] {
      var on: Int32 = 1
      setsockopt(socket.descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    Thread.detachNewThread {
      pass(from: client, to: server, number, state)
      end(number, state)
    }
    Thread.detachNewThread {
      // What a server has sent before it closed is still to arrive; the client closes then.
      guard pass(from: server, to: client, number, state) else { return end(number, state) }
      client.shutdown(Int(SHUT_WR))
    }
  }

  private func end(_ number: Int, _ state: Watched<ServerGate.State>) {
    shutDown()
    state.update { $0.connections[number] = nil }
  }

  /// Passes on what comes.
  /// - Returns: whether the sender has closed; false where the connection was lost, or was ended here.
  @discardableResult
  private func pass(
    from sender: SharedSocket, to receiver: SharedSocket, _ number: Int, _ state: Watched<ServerGate.State>
  ) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(sender.descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 }
      var sent = 0
      while sent < count {
        guard let admitted = admit(count - sent, number, state),
          send(buffer[sent..<sent + admitted], to: receiver)
        else { return false }
        sent += admitted
      }
    }
  }

  /// Waits until bytes may pass.
  /// - Returns: how many; nil where the connection was ended.
  private func admit(_ wanted: Int, _ number: Int, _ state: Watched<ServerGate.State>) -> Int? {
    while true {
      let admitted = state.update { state -> Int? in
        guard state.connections[number] != nil else { return nil }
        let count = max(0, min(wanted, state.limit - state.passed))
        state.passed += count
        return count
      }
      if admitted != 0 { return admitted }
      _ = state.waitBlocking { $0.limit > $0.passed || $0.connections[number] == nil }
    }
  }

  /// - Returns: whether all of it could be sent.
  private func send(_ bytes: ArraySlice<UInt8>, to receiver: SharedSocket) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
        let count = Glibc.send(receiver.descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }
}
