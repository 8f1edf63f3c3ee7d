/// Finds the keys for a login. Reads files and asks the agent: blocks.
enum LoginKeys {
  struct Result: Sendable {
    var keys: [LoginKey] = []
    /// Keys that cannot be used, and why, for the error of a failed login.
    var problems: [String] = []
  }

  /// In the order of OpenSSH: the agent's keys that are also files, its other ones, files that the agent does not have.
  static func find(_ identities: SSHIdentities, agent: AgentConversation) -> Result {
    var result = Result()
    var files: [KeyFile] = []
    for path in identities.files.prefix(64) {
      do {
        files.append(try ExitGate.shared.inside { () throws(Problem) in try KeyFile(path: path) })
      } catch {
        if !error.isMissing { result.problems.append("\(path): \(error.reason)") }
      }
    }
    let fileKeys = files.map(\.publicKey)
    var agentKeys: [PublicKey] = []
    if let socket = identities.agent {
      switch agent.keys(at: socket) {
      case .success(let keys): agentKeys = keys.filter { !KeyAlgorithm.all(forKeyType: $0.type).isEmpty }
      case .failure(let problem): result.problems.append("the agent: \(problem.reason)")
      }
      let both = agentKeys.filter(fileKeys.contains)
      let others = identities.onlyFiles ? [] : agentKeys.filter { !both.contains($0) }
      result.keys = (both + others).map { LoginKey(origin: .agent(socket), publicKey: $0) }
    }
    for file in files {
      if let key = file.publicKey {
        if agentKeys.contains(key) { continue }
        guard !KeyAlgorithm.all(forKeyType: key.type).isEmpty else {
          result.problems.append("\(file.path): keys of the type \(key.type) are not supported")
          continue
        }
      }
      result.keys.append(LoginKey(origin: .file(file), publicKey: file.publicKey))
    }
    return result
  }
}
