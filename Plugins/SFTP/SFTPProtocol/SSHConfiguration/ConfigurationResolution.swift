import Foundation

/// Turns the values as they are written into the configuration of a host.
struct ConfigurationResolution {
  let values: ConfigurationValues
  let originalHost: String
  let user: String?
  let port: Int?
  let source: ConfigurationSource

  /// Values that cannot be used.
  private(set) var problems: [LineProblem] = []

  mutating func resolve() -> HostConfiguration {
    var result = HostConfiguration(hostName: originalHost)
    result.user = user ?? text("user")
    result.port = port ?? text("port").flatMap { ConfigurationSyntax.port($0) }
    if let value = values.first("hostname") {
      let tokens = TokenExpansion(tokens: ["h": originalHost], home: source.home, environment: [:])
      result.hostName = use(value, tokens.expand).first ?? originalHost
    }
    let paths = TokenExpansion(
      tokens: [
        "h": result.hostName, "n": originalHost, "p": String(result.port ?? 22), "r": result.user ?? source.localUser,
        "u": source.localUser, "d": source.home, "i": String(source.localUserID),
        "k": text("hostkeyalias") ?? originalHost,
      ], home: source.home, environment: source.environment)

    let identities = values.all("identityfile")
    if !identities.isEmpty {
      result.identityFiles = identities.filter { $0.arguments.first?.lowercased() != "none" }
        .flatMap { use($0, paths.expandPath) }
    }
    result.identitiesOnly = text("identitiesonly").flatMap(ConfigurationSyntax.flag)
    result.identityAgent = agent(paths)
    result.userKnownHostsFiles = files("userknownhostsfile", paths)
    result.globalKnownHostsFiles = files("globalknownhostsfile", paths)
    result.hostKeyAlias = text("hostkeyalias")
    result.strictHostKeyChecking = text("stricthostkeychecking").flatMap(ConfigurationSyntax.checking)
    result.connectTimeout = text("connecttimeout").flatMap(ConfigurationSyntax.seconds)
    result.serverAliveInterval = text("serveraliveinterval").flatMap(ConfigurationSyntax.seconds)
    result.serverAliveCountMax = text("serveralivecountmax").flatMap { Int($0) }.map { max(0, $0) }
    result.proxyJump = text("proxyjump").flatMap(ConfigurationSyntax.jumps)
    result.proxyCommand = text("proxycommand").flatMap { $0.lowercased() == "none" ? nil : $0 }
    return result
  }

  private func text(_ keyword: String) -> String? { values.first(keyword)?.arguments.first }

  private mutating func files(_ keyword: String, _ expansion: TokenExpansion) -> [String]? {
    guard let value = values.first(keyword) else { return nil }
    if value.arguments.map({ $0.lowercased() }) == ["none"] { return [] }
    return use(value, expansion.expandPath)
  }

  /// The agent's socket: a path, an environment variable's value, or none.
  private mutating func agent(_ expansion: TokenExpansion) -> String? {
    guard let value = values.first("identityagent"), let name = value.arguments.first else { return nil }
    if name.lowercased() == "none" { return "" }
    if name == "SSH_AUTH_SOCK" { return nil }
    if name.hasPrefix("$"), !name.hasPrefix("${") { return source.environment[String(name.dropFirst())] }
    return use(value, expansion.expandPath).first
  }

  /// The value's arguments, expanded; those that fail are left out and reported.
  private mutating func use(
    _ value: ConfigurationValues.Value, _ expand: (String) throws(Problem) -> String
  ) -> [String] {
    var results: [String] = []
    for argument in value.arguments {
      do throws(Problem) {
        results.append(try expand(argument))
      } catch {
        problems.append(LineProblem(place: value.place, reason: "\"\(argument)\": \(error.reason)"))
      }
    }
    return results
  }
}
