import Foundation
import URLLoading

/// Judges host keys by known_hosts files, and asks the session's delegate about unknown ones.
struct KnownHostsPolicy: HostKeyPolicy {
  private let known: KnownHosts
  private let checking: HostConfiguration.StrictHostKeyChecking
  private let alias: String?
  private let recordFile: String?
  private let problems: [LineProblem]
  private let memory: SessionMemory
  private let questions: ConnectionQuestions

  /// Reads the files.
  init(
    configuration: HostConfiguration, source: ConfigurationSource, memory: SessionMemory, questions: ConnectionQuestions
  ) {
    let folder = "\(source.home)/.ssh"
    let own = configuration.userKnownHostsFiles ?? ["\(folder)/known_hosts", "\(folder)/known_hosts2"]
    let machine = configuration.globalKnownHostsFiles ?? ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"]
    known = KnownHosts(files: own + machine)
    checking = configuration.strictHostKeyChecking ?? .ask
    alias = configuration.hostKeyAlias
    recordFile = own.first
    problems = configuration.problems + known.problems
    self.memory = memory
    self.questions = questions
  }

  func knownKeyTypes(host: String, port: UInt16) -> [String] {
    let (name, number) = lookup(host, Int(port))
    return known.keyTypes(ofHost: name, port: number)
  }

  func judge(_ offer: HostKeyOffer) async -> HostKeyDecision {
    let (name, port) = lookup(offer.host, Int(offer.port))
    let server = SSHConnectionOptions.serverName(name, port)
    let verdict = known.verdict(on: offer.key, ofHost: name, port: port)
    switch verdict {
    case .trusted: return .accept
    case .revoked(let place):
      return .refuse(
        SSHFailure(
          .hostKeyRefused, "the key of \(server), \(offer.key.type) \(offer.key.fingerprint), is revoked in \(place)"))
    case .unknown(let others):
      if memory.hasAccepted(offer.key, of: server) { return .accept }
      // A server with other known keys should have shown one of them.
      if others.isEmpty, checking == .no || checking == .acceptNew {
        record(offer.key, name, port)
        return .accept
      }
      return await ask(offer, server, "is not known", others)
    case .changed(let old):
      if memory.hasAccepted(offer.key, of: server) { return .accept }
      return await ask(offer, server, "has changed", old)
    }
  }

  /// An alias has no port.
  private func lookup(_ host: String, _ port: Int) -> (String, Int) {
    alias.map { ($0, 22) } ?? (host, port)
  }

  private func ask(
    _ offer: HostKeyOffer, _ server: String, _ state: String, _ others: [KnownHostsEntry]
  ) async -> HostKeyDecision {
    let space = SFTPHostKeySpace(
      host: offer.host, port: Int(offer.port), key: offer.key,
      knownKeys: others.map { "\($0.key.type) \($0.key.fingerprint) (\($0.place))" }, isChanged: state == "has changed")
    if checking != .yes {
      let credential = await questions.ask { sender in
        URLAuthenticationChallenge(
          protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
          sender: sender)
      }
      if let acceptance = credential as? SFTPHostKeyAcceptance, acceptance.isFor(offer.key) {
        memory.accept(offer.key, of: server)
        return .accept
      }
    }
    return .refuse(SSHFailure(.hostKeyRefused, message(space, server, state)))
  }

  private func message(_ space: SFTPHostKeySpace, _ server: String, _ state: String) -> String {
    var text = "the key of \(server) \(state): it showed \(space.keyType) \(space.fingerprint)"
    if !space.knownKeys.isEmpty { text += ", and is known by \(space.knownKeys.joined(separator: ", "))" }
    let (name, port) = lookup(space.host, space.port)
    if let place = known.certificateAuthorities(ofHost: name, port: port).first {
      text += "; certificates of hosts, as in \(place), are not supported"
    }
    text +=
      space.isChanged
      ? "; somebody may be in between, or the server has a new key: then remove the old one with ssh-keygen -R"
      : "; if this is right, add it to known_hosts, or accept it in the session's delegate"
    for problem in problems.prefix(3) { text += " (not understood: \(problem))" }
    return text
  }

  /// Adds a key that the configuration accepts without a question to known_hosts.
  private func record(_ key: PublicKey, _ host: String, _ port: Int) {
    guard let recordFile else { return }
    let name = String(decoding: KnownHosts.name(of: host, port: port), as: UTF8.self)
    KnownHosts.append("\(name) \(key.type) \(Data(key.blob).base64EncodedString())", to: recordFile)
  }
}
