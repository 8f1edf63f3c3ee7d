/// The entries of known_hosts files, in the order of files and lines. A value that does no I/O.
///
/// libssh2 1.10's reader ignores `@revoked` and `@cert-authority`, and has no patterns.
struct KnownHosts: Sendable {
  /// Longer lines are left out.
  static let longestLine = 64 << 10

  private(set) var entries: [KnownHostsEntry] = []
  /// Lines that were left out.
  var problems: [LineProblem] = []

  mutating func add(_ contents: some Collection<UInt8>, file: String) {
    let bytes = Array(contents)
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let place = SourceLine(file: file, line: number)
      guard line.count <= Self.longestLine else {
        problems.append(LineProblem(place: place, reason: "it is longer than \(Self.longestLine) bytes"))
        continue
      }
      do throws(Problem) {
        if let entry = try KnownHostsEntry.read(line, place: place) { entries.append(entry) }
      } catch {
        problems.append(LineProblem(place: place, reason: error.reason))
      }
    }
  }

  /// The name under which a host is looked up: with its port where that is not SSH's own.
  static func name(of host: String, port: Int) -> [UInt8] {
    let host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    let name = port == 22 ? host : "[\(host)]:\(port)"
    return name.utf8.map(\.asciiLowercased)
  }

  /// The types of a host's known keys, in the files' order.
  func keyTypes(ofHost host: String, port: Int) -> [String] {
    var known = keys(ofHost: host, port: port)
    if known.isEmpty, port != 22 { known = keys(ofHost: host, port: 22) }
    var types: [String] = []
    for entry in known where !types.contains(entry.key.type) { types.append(entry.key.type) }
    return types
  }

  /// The lines that name certificate authorities for a host, which are not supported.
  func certificateAuthorities(ofHost host: String, port: Int) -> [SourceLine] {
    let name = Self.name(of: host, port: port)
    return entries.filter { $0.meaning == .certificateAuthority && $0.matches(name) }.map(\.place)
  }

  func verdict(on key: PublicKey, ofHost host: String, port: Int) -> HostKeyVerdict {
    let name = Self.name(of: host, port: port)
    let portless = Self.name(of: host, port: 22)
    let same = entries.filter { $0.key == key }
    if let revocation = same.first(where: { $0.meaning == .revoked && ($0.matches(name) || $0.matches(portless)) }) {
      return .revoked(revocation.place)
    }
    if let known = same.first(where: { $0.meaning == .hostKey && $0.matches(name) }) { return .trusted(known.place) }
    let others = keys(ofHost: host, port: port)
    let changed = others.filter { $0.key.type == key.type }
    if !changed.isEmpty { return .changed(changed) }
    // As OpenSSH does: the key that a host has at port 22 is trusted at its other ports.
    if others.isEmpty, port != 22, let known = same.first(where: { $0.meaning == .hostKey && $0.matches(portless) }) {
      return .trusted(known.place)
    }
    return .unknown(others: others)
  }

  /// The known keys of a host, without revoked ones.
  private func keys(ofHost host: String, port: Int) -> [KnownHostsEntry] {
    let name = Self.name(of: host, port: port)
    let lines = entries.filter { $0.meaning != .certificateAuthority && $0.matches(name) }
    let revoked = Set(lines.filter { $0.meaning == .revoked }.map(\.key))
    return lines.filter { $0.meaning == .hostKey && !revoked.contains($0.key) }
  }
}
