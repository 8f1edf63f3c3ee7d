internal import URLLoadingCSSH2

/// Explains the end of a connection. libssh2's own message is often just that something failed.
extension ConnectionDriver {
  /// The explanation of an error of libssh2, in one sentence.
  func failure(_ code: SSHSession.Code) -> SSHFailure {
    let (server, phase, socket) = (options.server, machine.phase, session?.socket)
    if let message = session?.disconnectMessage {
      let isLogin = phase == .loggingIn
      let advice =
        isLogin && message.contains("Too many") ? "; fewer keys may help (IdentitiesOnly, IdentityFile)" : ""
      return SSHFailure(
        isLogin ? .loginFailed : .connectionLost,
        "\(server) ended the connection while \(phase.name): \(message)\(advice)")
    }
    let text = "\(code.text.isEmpty ? "no more is known" : code.text) (libssh2's error \(code.number))"
    if phase == .exchangingKeys, let failure = keyExchangeFailure { return failure }
    if let problem = socket?.problem {
      return SSHFailure(.connectionLost, "the connection to \(server) was lost while \(phase.name): \(problem)")
    }
    if socket?.hasEnded == true || (code.number == LIBSSH2_ERROR_SOCKET_DISCONNECT && phase != .exchangingKeys) {
      return SSHFailure(.connectionLost, "\(server) closed the connection while \(phase.name)")
    }
    if phase == .exchangingKeys {
      return SSHFailure(.protocolViolation, "the exchange of keys with \(server) failed: \(text)")
    }
    if phase == .openingChannel,
      [LIBSSH2_ERROR_CHANNEL_FAILURE, LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED].contains(code.number)
    {
      return SSHFailure(.channelRefused, refusal)
    }
    return SSHFailure(.protocolViolation, "\(server) broke SSH's rules while \(phase.name): \(text)")
  }

  private var refusal: String {
    let server = options.server
    return switch options.channel {
    case .subsystem(let name):
      "\(server) has no \(name) for this user: its sshd_config needs a line that begins with 'Subsystem \(name)', or it has too many sessions"
    case .tunnel(let host, let port): "\(server) does not connect to \(host), port \(port)"
    }
  }

  /// A failure that the server's first bytes explain.
  private var keyExchangeFailure: SSHFailure? {
    let (server, offer) = (options.server, offer)
    if offer.version == nil {
      // It may be an SSH server all the same: lines may come before the version (RFC 4253, section 4.2), and OpenSSH refuses an address with
      // one such line alone after failed logins (since 9.8).
      if let line = offer.foreignLine {
        return SSHFailure(.protocolViolation, "\(server) names no version of SSH: it says \u{201C}\(line)\u{201D}")
      }
      if let problem = session?.socket.problem {
        return SSHFailure(.connectionLost, "the connection to \(server) was lost before it said anything: \(problem)")
      }
      if session?.socket.hasEnded == true {
        return SSHFailure(.connectionLost, "\(server) closed the connection before it said anything")
      }
    }
    let gaps = offer.isComplete ? preferences.gaps(to: offer) : []
    return gaps.isEmpty
      ? nil
      : SSHFailure(.nothingInCommon, "no keys could be agreed upon with \(server): \(gaps.joined(separator: "; "))")
  }
}
