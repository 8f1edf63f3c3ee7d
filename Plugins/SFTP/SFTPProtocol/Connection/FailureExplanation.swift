import URLLoadingCSSH2

/// Explains the end of a connection in one sentence. libssh2's own message is often just that something failed.
struct FailureExplanation {
  let code: SSHSession.Code
  let phase: ConnectionMachine.Phase
  let options: SSHConnectionOptions
  let preferences: AlgorithmPreferences
  let offer: ServerOffer
  let disconnectMessage: String?
  let socketProblem: String?
  let hasEnded: Bool

  var failure: SSHFailure {
    let server = options.server
    if let disconnectMessage {
      let isLogin = phase == .loggingIn
      let advice =
        isLogin && disconnectMessage.contains("Too many")
        ? "; fewer keys may help (IdentitiesOnly, IdentityFile)" : ""
      return SSHFailure(
        isLogin ? .loginFailed : .connectionLost,
        "\(server) ended the connection while \(phase.name): \(disconnectMessage)\(advice)")
    }
    if phase == .exchangingKeys { return keyExchangeFailure }
    if let socketProblem {
      return SSHFailure(.connectionLost, "the connection to \(server) was lost while \(phase.name): \(socketProblem)")
    }
    if hasEnded || code.number == LIBSSH2_ERROR_SOCKET_DISCONNECT {
      return SSHFailure(.connectionLost, "\(server) closed the connection while \(phase.name)")
    }
    if phase == .openingChannel,
      [LIBSSH2_ERROR_CHANNEL_FAILURE, LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED].contains(code.number)
    {
      return SSHFailure(.channelRefused, refusal)
    }
    return SSHFailure(.protocolViolation, "\(server) broke SSH's rules while \(phase.name): \(words)")
  }

  private var words: String { "\(code.text.isEmpty ? "no more is known" : code.text) (libssh2's error \(code.number))" }

  private var refusal: String {
    let server = options.server
    return switch options.channel {
    case .subsystem(let name):
      "\(server) has no \(name) for this user: its sshd_config needs a line that begins with 'Subsystem \(name)', or it has too many sessions"
    case .command: "\(server) does not run commands for this user"
    case .tunnel(let host, let port): "\(server) does not connect to \(host), port \(port)"
    }
  }

  private var keyExchangeFailure: SSHFailure {
    let server = options.server
    if offer.version == nil {
      if let line = offer.foreignLine {
        return SSHFailure(.protocolViolation, "\(server) is no SSH server: it says \u{201C}\(line)\u{201D}")
      }
      if let socketProblem {
        return SSHFailure(
          .connectionLost, "the connection to \(server) was lost before it said anything: \(socketProblem)")
      }
      if hasEnded { return SSHFailure(.connectionLost, "\(server) closed the connection before it said anything") }
    }
    if offer.isComplete {
      let gaps = preferences.gaps(to: offer)
      if !gaps.isEmpty {
        return SSHFailure(
          .nothingInCommon, "no keys could be agreed upon with \(server): \(gaps.joined(separator: "; "))")
      }
    }
    if let socketProblem {
      return SSHFailure(.connectionLost, "the connection to \(server) was lost while exchanging keys: \(socketProblem)")
    }
    if hasEnded { return SSHFailure(.connectionLost, "\(server) closed the connection while exchanging keys") }
    return SSHFailure(.protocolViolation, "the exchange of keys with \(server) failed: \(words)")
  }
}
