/// What a connection leads to, and how.
struct SSHConnectionOptions: Sendable {
  /// What the channel is for.
  enum Channel: Sendable, Equatable {
    /// A service by its name, such as `sftp`.
    case subsystem(String)
    case command(String)
    /// Bytes to and from another host, which the server connects to (RFC 4254, section 7.2).
    case tunnel(host: String, port: UInt16)

    /// Whether the other side's end of the channel is nothing unusual.
    var endsByItself: Bool {
      if case .subsystem = self { false } else { true }
    }
  }

  /// A name or an address, without brackets.
  var host: String
  var port: UInt16 = 22
  var user: String
  var channel = Channel.subsystem("sftp")
  /// Where keys come from, in this order.
  var identities = SSHIdentities()
  /// How long it may take until the channel is open, without the time in which somebody is asked.
  var timeout = Duration.seconds(60)
  /// After how much silence the server is asked whether it is there (OpenSSH's ServerAliveInterval), two seconds at
  /// least; nil for never.
  var keepAliveInterval: Duration?
  /// How many such questions in a row may go without an answer (ServerAliveCountMax).
  var keepAliveLimit = 3
  var hostKeyPolicy: any HostKeyPolicy
  var authenticator: any SSHAuthenticator
  /// Hosts that the connection goes through, the first of which is reached directly (OpenSSH's ProxyJump).
  var jumps: [SSHConnectionOptions] = []
  /// What the connection's thread runs first.
  var threadSetup = SSHThreadSetup.current

  /// The server's name for messages.
  var server: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 22 ? name : "\(name):\(port)"
  }
}
