/// What ssh_config files say of one host. Nil is what they do not say.
struct HostConfiguration: Hashable, Sendable {
  /// What to do with a host key that no file has.
  enum StrictHostKeyChecking: Hashable, Sendable {
    /// `yes`: refuse it.
    case yes
    /// `ask`: ask, and refuse it where nobody answers.
    case ask
    /// `accept-new`: take it from a host that is not known, and refuse one that changed.
    case acceptNew
    /// `no`: take it.
    case no
  }

  /// A host on the way (ssh_config(5), `ProxyJump`).
  struct Jump: Hashable, Sendable {
    var user: String?
    var host: String
    var port: Int?
  }

  /// The name or address to connect to.
  var hostName: String
  var port: Int?
  var user: String?
  /// Paths of private keys, in order. Nil: those with the default names.
  var identityFiles: [String]?
  /// Only keys of ``identityFiles`` are offered, not all that an agent has.
  var identitiesOnly: Bool?
  /// Path of the agent's socket; empty where none is to be asked.
  var identityAgent: String?
  /// Paths of the user's known_hosts files. Empty: none are to be read.
  var userKnownHostsFiles: [String]?
  /// Paths of the machine's known_hosts files.
  var globalKnownHostsFiles: [String]?
  /// The name under which the host's key is known.
  var hostKeyAlias: String?
  var strictHostKeyChecking: StrictHostKeyChecking?
  /// Seconds.
  var connectTimeout: Int?
  /// Seconds of silence after which the server is asked for a sign of life; 0 for never.
  var serverAliveInterval: Int?
  /// Questions without an answer after which the connection counts as lost.
  var serverAliveCountMax: Int?
  /// Hosts to go through, the nearest first. Empty: none, explicitly.
  var proxyJump: [Jump]?
  /// A program that should make the connection, which is not supported: who has to reach the host by it must not reach
  /// another one directly.
  var proxyCommand: String?

  /// What was left out, since it was not understood.
  var problems: [LineProblem] = []

  init(hostName: String) {
    self.hostName = hostName
  }
}
