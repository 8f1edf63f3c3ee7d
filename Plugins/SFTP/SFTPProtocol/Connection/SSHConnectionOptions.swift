import URLLoading

/// Where a connection leads, and how.
struct SSHConnectionOptions: Sendable {
  enum Channel: Sendable, Equatable {
    /// A service, such as `sftp`.
    case subsystem(String)
    /// A connection of the server's to another host (RFC 4254, section 7.2).
    case tunnel(host: String, port: UInt16)
  }

  /// A name or an address, without brackets.
  var host: String
  var port: UInt16 = 22
  var user: String
  var channel = Channel.subsystem("sftp")
  var identities = SSHIdentities()
  /// Time until the channel is open, without the time that answers to questions take.
  var timeout = Duration.seconds(60)
  /// Silence before a keep-alive request (OpenSSH's ServerAliveInterval), two seconds at least; nil for none.
  var keepAliveInterval: Duration?
  /// Requests in a row without a reply before the connection is lost (ServerAliveCountMax).
  var keepAliveLimit = 3
  var hostKeyPolicy: any HostKeyPolicy
  var authenticator: any SSHAuthenticator
  /// Hosts that the connection goes through, the first of which is reached directly (OpenSSH's ProxyJump).
  var jumps: [SSHConnectionOptions] = []
  /// Which addresses of the host are used.
  var addressFamily = NetworkSettings.AddressFamily.any
  /// Addresses in place of a lookup, see ``NetworkSettings/hostAddresses``.
  var hostAddresses: [String: [String]] = [:]

  /// The names or addresses that are looked up for the host.
  var targets: [String] { hostAddresses["\(host):\(port)"] ?? hostAddresses["*:\(port)"] ?? [host] }

  /// The server's name for messages.
  var server: String { Self.serverName(host, Int(port)) }

  static func serverName(_ host: String, _ port: Int) -> String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 22 ? name : "\(name):\(port)"
  }
}
