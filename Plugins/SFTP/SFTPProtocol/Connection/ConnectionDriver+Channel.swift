internal import URLLoadingCSSH2

/// Moves bytes between the channel and its user.
extension ConnectionDriver {
  /// Bytes that may wait for the socket before the user is asked for more.
  private static let largestQueue = 1 << 18

  func pump() {
    guard let session else { return }
    // Writing also reads from the socket into libssh2, which `poll` does not report.
    repeat {
      guard write(session) else { return }
      guard let count = read(session) else { return }
      if count == 0 { break }
    } while !session.socket.hasMore && machine.phase == .open
  }

  private func write(_ session: SSHSession) -> Bool {
    fillsQueue = false
    while machine.phase == .open {
      fillsQueue = session.socket.outgoing.count >= Self.largestQueue
      if fillsQueue { break }
      let bytes = user.bytesToSend
      if bytes.isEmpty { break }
      switch session.write(bytes) {
      case .success(0): return true
      case .success(let count): user.channelDidSend(count)
      case .failure(let code):
        fail(failure(code))
        return false
      }
    }
    return machine.phase == .open
  }

  /// The number of bytes read; nil at the channel's end.
  private func read(_ session: SSHSession) -> Int? {
    var received = 0
    while machine.phase == .open, user.wantsToReceive {
      switch session.read(into: buffer) {
      case .success(0):
        guard session.isAtEnd else { return received }
        let isTunnel = if case .tunnel = options.channel { true } else { false }
        // A tunnel ends with the connection through it, which is no failure of this one.
        close(isTunnel ? nil : SSHFailure(.connectionLost, "\(options.server) ended the channel"))
        return nil
      case .success(let count):
        received += count
        user.channelDidReceive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      case .failure(let code):
        fail(failure(code))
        return nil
      }
    }
    return machine.phase == .open ? received : nil
  }

  func sendQueued() {
    guard let session, machine.phase != .closed, !session.socket.flush() else { return }
    // Reads first: the server may have sent the reason.
    session.socket.beginTurn()
    step()
    if machine.phase != .closed { fail(failure(SSHSession.Code(number: LIBSSH2_ERROR_SOCKET_SEND, text: ""))) }
  }
}
