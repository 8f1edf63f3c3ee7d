import Foundation

/// Parses single values of ssh_config (ssh_config(5)).
enum ConfigurationSyntax {
  /// What is wrong with a value; nil for a valid one.
  static func problem(_ keyword: String, _ text: String) -> String? {
    switch keyword {
    case "port": port(text) == nil ? "\"\(text)\" is no port" : nil
    case "identitiesonly": flag(text) == nil ? "\"\(text)\" is neither yes nor no" : nil
    case "stricthostkeychecking":
      checking(text) == nil ? "\"\(text)\" is none of yes, accept-new, ask, no" : nil
    case "connecttimeout", "serveraliveinterval": seconds(text) == nil ? "\"\(text)\" is no time" : nil
    case "serveralivecountmax": Int32(text) == nil ? "\"\(text)\" is no number" : nil
    case "proxyjump": jumps(text) == nil ? "\"\(text)\" is no list of [user@]host[:port]" : nil
    default: nil
    }
  }

  static func port(_ text: some StringProtocol) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(text), (1...65535).contains(port) else {
      return nil
    }
    return port
  }

  static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "yes", "true": true
    case "no", "false": false
    default: nil
    }
  }

  static func checking(_ text: String) -> HostConfiguration.StrictHostKeyChecking? {
    switch text.lowercased() {
    case "yes", "true": .yes
    case "ask": .ask
    case "accept-new": .acceptNew
    case "no", "false", "off": .no
    default: nil
    }
  }

  /// A time such as `90` or `1m30s` (sshd_config(5), "TIME FORMATS"). `none` is 0.
  static func seconds(_ text: String) -> Int? {
    guard text.lowercased() != "none" else { return 0 }
    var total = 0
    var number: Int?
    for character in text.lowercased() {
      if let digit = character.wholeNumberValue, character.isASCII {
        let (tens, overflowed) = (number ?? 0).multipliedReportingOverflow(by: 10)
        guard !overflowed, tens < Int(Int32.max) else { return nil }
        number = tens + digit
        continue
      }
      let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604_800]
      guard let count = number, let unit = units[character] else { return nil }
      total += min(count, Int(Int32.max)) * unit
      number = nil
      guard total <= Int(Int32.max) else { return nil }
    }
    guard !text.isEmpty else { return nil }
    total += number ?? 0
    return total <= Int(Int32.max) ? total : nil
  }

  /// Hosts of `ProxyJump`; empty for `none`.
  static func jumps(_ text: String) -> [HostConfiguration.Jump]? {
    guard text.lowercased() != "none" else { return [] }
    var jumps: [HostConfiguration.Jump] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let jump = jump(part) else { return nil }
      jumps.append(jump)
    }
    return jumps
  }

  private static func jump(_ text: Substring) -> HostConfiguration.Jump? {
    var rest = text.lowercased().hasPrefix("ssh://") ? text.dropFirst(6) : text
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    var user: String?
    if let at = rest.lastIndex(of: "@") {
      user = String(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    var port: Int?
    var host = rest
    if rest.hasPrefix("["), let end = rest.lastIndex(of: "]") {
      host = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
    } else if let colon = rest.lastIndex(of: ":"), rest.firstIndex(of: ":") == colon {
      host = rest[..<colon]
      rest = rest[colon...]
    } else {
      rest = ""
    }
    if rest.hasPrefix(":") {
      guard let number = Self.port(rest.dropFirst()) else { return nil }
      port = number
    }
    guard !host.isEmpty, !host.contains(where: { "[]/ ".contains($0) }), user?.isEmpty != true else { return nil }
    return HostConfiguration.Jump(user: user, host: String(host), port: port)
  }
}
