/// Where a user's keys come from.
struct SSHIdentities: Sendable, Equatable {
  /// The socket of an agent, such as SSH_AUTH_SOCK names; nil for none.
  var agent: String?
  /// Files of private keys. One that does not exist is passed over.
  var files: [String] = []
  /// Of the agent's keys only those that are also in `files` (OpenSSH's IdentitiesOnly).
  var onlyFiles = false
}
