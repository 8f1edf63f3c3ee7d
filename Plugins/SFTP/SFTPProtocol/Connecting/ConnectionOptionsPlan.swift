import Foundation
import URLLoading

/// Makes the options of a connection from a URL and the configuration files. Reads files: blocks.
struct ConnectionOptionsPlan {
  /// Hosts on the way, nested ones included.
  private static let largestJumpCount = 8
  /// Seconds of silence before a keep-alive request, unless the files say otherwise.
  private static let keepAliveInterval = 30
  /// Seconds, as for libcurl; no duration is as long as the largest Double.
  private static let longestTimeout = 2_000_000.0

  let place: ServerPlace
  let source: ConfigurationSource
  let memory: SessionMemory
  let questions: ConnectionQuestions
  var network = NetworkSettings()

  /// - Throws: an error for settings that are not supported.
  func options() throws(SSHFailure) -> SSHConnectionOptions {
    try options(host: place.host, user: place.user, port: place.port, password: place.password, depth: 0)
  }

  /// - Parameter depth: hosts on the way so far; nil for a host whose own ProxyJump does not count, since it is reached through another.
  private func options(
    host: String, user: String?, port: Int?, password: String?, depth: Int?
  ) throws(SSHFailure) -> SSHConnectionOptions {
    let configuration = SSHConfiguration.read(host: host, user: user, port: port, source: source)
    guard configuration.proxyCommand == nil else {
      throw SSHFailure(
        .cannotConnect,
        "the SSH configuration reaches \(host) by a ProxyCommand, which is not supported; ProxyJump is, or \"ProxyCommand none\" in a Host block"
      )
    }
    guard let number = UInt16(exactly: configuration.port ?? 22), number > 0 else {
      throw SSHFailure(.cannotConnect, "\(configuration.port ?? 0) is no port of \(host)")
    }
    let name = configuration.user ?? source.localUser
    let policy = KnownHostsPolicy(configuration: configuration, source: source, memory: memory, questions: questions)
    guard network.localInterface == nil, network.localPorts == nil else {
      throw SSHFailure(
        .cannotConnect,
        "connections of SFTP begin where the system says, and the network settings name a local interface or ports")
    }
    let authenticator = ChallengeAuthenticator(
      host: configuration.hostName, port: Int(number), password: password, memory: memory, questions: questions)
    var options = SSHConnectionOptions(
      host: configuration.hostName, port: number, user: name, hostKeyPolicy: policy, authenticator: authenticator)
    options.identities = identities(configuration)
    if let timeout = configuration.connectTimeout, timeout > 0 { options.timeout = .seconds(timeout) }
    // What the program says goes before the files.
    if let timeout = network.connectionTimeout, timeout > 0 {
      options.timeout = .seconds(min(timeout, Self.longestTimeout))
    }
    options.addressFamily = network.addressFamily
    options.hostAddresses = network.hostAddresses
    let interval = configuration.serverAliveInterval ?? Self.keepAliveInterval
    options.keepAliveInterval = interval > 0 ? .seconds(interval) : nil
    options.keepAliveLimit = max(1, configuration.serverAliveCountMax ?? 3)
    if let depth { options.jumps = try jumps(configuration.proxyJump ?? [], to: host, depth: depth) }
    return options
  }

  /// The first host on the way may itself have hosts on the way to it.
  private func jumps(
    _ jumps: [HostConfiguration.Jump], to host: String, depth: Int
  ) throws(SSHFailure) -> [SSHConnectionOptions] {
    guard depth + jumps.count <= Self.largestJumpCount else {
      throw SSHFailure(
        .cannotConnect, "the SSH configuration reaches \(host) through more than \(Self.largestJumpCount) hosts")
    }
    var result: [SSHConnectionOptions] = []
    for (index, jump) in jumps.enumerated() {
      var options = try options(
        host: jump.host, user: jump.user, port: jump.port, password: nil,
        depth: index == 0 ? depth + jumps.count : nil)
      if index == 0 { result += options.jumps }
      options.jumps = []
      result.append(options)
    }
    return result
  }

  private func identities(_ configuration: HostConfiguration) -> SSHIdentities {
    let agent = configuration.identityAgent ?? source.environment["SSH_AUTH_SOCK"]
    let files = ["id_rsa", "id_ecdsa", "id_ed25519"].map { "\(source.home)/.ssh/\($0)" }
    return SSHIdentities(
      agent: agent?.isEmpty == false ? agent : nil, files: configuration.identityFiles ?? files,
      onlyFiles: configuration.identitiesOnly ?? false)
  }
}
