/// Where a user's keys come from.
struct SSHIdentities: Sendable, Equatable {
  /// The socket of an agent, such as `SSH_AUTH_SOCK`; nil for none.
  var agent: String?
  /// Files of private keys. Missing ones are skipped.
  var files: [String] = []
  /// Use only those of the agent's keys that are also in `files` (OpenSSH's IdentitiesOnly).
  var onlyFiles = false
}
