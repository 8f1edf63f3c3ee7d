/// The settings of ssh_config files for one host. Nil is what is not set.
struct HostConfiguration: Hashable, Sendable {
  enum StrictHostKeyChecking: Hashable, Sendable {
    /// `yes`: refuse it.
    case yes
    /// `ask`: ask, and refuse it without an answer.
    case ask
    /// `accept-new`: accept it from an unknown host, and refuse a changed one.
    case acceptNew
    /// `no`: accept it.
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
  /// Offer only keys of ``identityFiles``, not all of the agent's.
  var identitiesOnly: Bool?
  /// Path of the agent's socket; empty for none.
  var identityAgent: String?
  /// Paths of the user's known_hosts files; empty for none.
  var userKnownHostsFiles: [String]?
  /// Paths of the machine's known_hosts files.
  var globalKnownHostsFiles: [String]?
  /// The name under which the host's key is known.
  var hostKeyAlias: String?
  var strictHostKeyChecking: StrictHostKeyChecking?
  /// Seconds.
  var connectTimeout: Int?
  /// Seconds of silence before a keep-alive request; 0 for none.
  var serverAliveInterval: Int?
  /// Keep-alive requests without a reply before the connection is lost.
  var serverAliveCountMax: Int?
  /// Hosts to go through, the nearest first. Empty: none, explicitly.
  var proxyJump: [Jump]?
  /// A program that makes the connection, which is not supported.
  var proxyCommand: String?

  /// Lines that were left out.
  var problems: [LineProblem] = []
}
