import Foundation

/// Networks that belong to one process, by unshare(1) as a user who is root in there alone.
package enum PrivateNetwork {
  /// Whether this machine lets us make one.
  package static var isAvailable: Bool { get async { await runs(["-rn", "true"]) } }

  /// Whether its process may have a resolv.conf of its own as well.
  package static var mayNameServers: Bool { get async { await runs(mounting("/dev/null", ["true"])) } }

  /// Runs the connectivity worker in a network of its own.
  /// - Parameters:
  ///   - nameServer: the only name server there; nil for the machine's.
  ///   - environment: more variables.
  /// - Returns: the lines that it printed.
  package static func run(
    _ scenario: String, nameServer: String? = nil, environment: [String: String?] = [:]
  ) async throws -> [String] {
    let folder = try TemporaryDirectory("network")
    let worker = [BuiltProgram.path("URLLoadingConnectivityWorker"), scenario]
    var arguments = ["-rn"] + worker
    if let nameServer {
      let file = try folder.write("resolv.conf", "nameserver \(nameServer)\noptions timeout:1\n")
      arguments = mounting(file.path, worker)
    }
    let outcome = try await Command.run(
      "unshare", arguments,
      environment: environment.merging(["HOME": folder.path, "RES_OPTIONS": nil, "LOCALDOMAIN": nil]) { $1 },
      timeout: .seconds(90))
    guard outcome.status == .exited(0) else {
      throw TestServerError("\(scenario): \(outcome.status)\n\(outcome.text)\(outcome.error)")
    }
    return outcome.text.split(separator: "\n").map(String.init)
  }

  private static func mounting(_ resolvConf: String, _ command: [String]) -> [String] {
    ["-rnm", "sh", "-c", #"mount --bind "$0" /etc/resolv.conf && exec "$@""#, resolvConf] + command
  }

  private static func runs(_ arguments: [String]) async -> Bool {
    (try? await Command.run("unshare", arguments, timeout: .seconds(20)))?.status == .exited(0)
  }
}
