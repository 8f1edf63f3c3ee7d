import Foundation
import Glibc

/// A Kerberos realm with a KDC of its own (MIT's), a user, and the service `HTTP/localhost`. Its files are in a folder of the test's.
package final class KerberosRealm: Sendable {
  /// The user who has a ticket.
  package static let user = "alice@TEST.EXAMPLE"

  private let process: ServerProcess
  private let directory: TemporaryDirectory
  /// What programs need in their environment to be in this realm, and to have the user's ticket and the service's key.
  package let environment: [String: String?]

  /// Why there can be no realm on this machine, in words; nil if there can.
  package static var obstacle: String? {
    let missing = ["/usr/sbin/krb5kdc", "/usr/sbin/kdb5_util", "/usr/sbin/kadmin.local", "/usr/bin/kinit"].filter {
      !FileManager.default.isExecutableFile(atPath: $0)
    }
    return missing.isEmpty
      ? nil : "\(missing.joined(separator: ", ")) not installed: run Scripts/install-test-dependencies"
  }

  /// Makes the realm, starts its KDC and gets the user's ticket.
  package static func start() async throws -> KerberosRealm {
    try await ServerProcess.retrying {
      let directory = try TemporaryDirectory("kerberos")
      let port = try FreePort.pick()
      let environment = try write(into: directory, port)
      try await run("/usr/sbin/kdb5_util", ["create", "-s", "-r", "TEST.EXAMPLE", "-P", "master"], environment)
      for query in [
        "addprinc -pw secret alice", "addprinc -randkey HTTP/localhost",
        "ktadd -k \(directory.file("keytab").path) HTTP/localhost",
      ] {
        try await run("/usr/sbin/kadmin.local", ["-q", query], environment)
      }
      // A proxy that was started by root reads the service's key as another user.
      chmod(directory.path, 0o755)
      chmod(directory.file("keytab").path, 0o644)
      let process = try await ServerProcess.start(
        "the KDC", "/usr/sbin/krb5kdc", ["-n"], environment: environment, directory: directory, ports: [port])
      try await run("/usr/bin/kinit", ["alice"], environment, input: "secret\n")
      return KerberosRealm(process, directory, environment)
    }
  }

  private init(_ process: ServerProcess, _ directory: TemporaryDirectory, _ environment: [String: String?]) {
    self.process = process
    self.directory = directory
    self.environment = environment
  }

  /// The environment of a program that has the user's ticket, and asks other KDCs than the realm's own.
  /// - Parameter ports: theirs, in the order in which they are asked; by UDP at first, whatever the length of a request.
  package func environment(withKDCsOn ports: [UInt16]) throws -> [String: String?] {
    let settings = "udp_preference_limit = 32700"
    var environment = self.environment
    environment["KRB5_CONFIG"] = try directory.write("other.conf", Self.configuration(ports, settings)).path
    return environment
  }

  private static func configuration(_ ports: [UInt16], _ settings: String = "") -> String {
    """
    [libdefaults]
      default_realm = TEST.EXAMPLE
      dns_lookup_kdc = false
      dns_lookup_realm = false
      dns_canonicalize_hostname = false
      rdns = false
      \(settings)
    [realms]
      TEST.EXAMPLE = {
        \(ports.map { "kdc = 127.0.0.1:\($0)" }.joined(separator: "\n    "))
      }
    [domain_realm]
      localhost = TEST.EXAMPLE

    """
  }

  private static func write(into directory: TemporaryDirectory, _ port: UInt16) throws -> [String: String?] {
    let configuration = try directory.write("krb5.conf", Self.configuration([port]))
    let profile = try directory.write(
      "kdc.conf",
      Data(
        """
        [kdcdefaults]
          kdc_listen = 127.0.0.1:\(port)
          kdc_tcp_listen = 127.0.0.1:\(port)
        [realms]
          TEST.EXAMPLE = {
            database_name = \(directory.file("principal").path)
            key_stash_file = \(directory.file("stash").path)
            acl_file = \(directory.file("acl").path)
          }

        """.utf8))
    return [
      "KRB5_CONFIG": configuration.path, "KRB5_KDC_PROFILE": profile.path,
      "KRB5CCNAME": "FILE:\(directory.file("tickets").path)", "KRB5_KTNAME": directory.file("keytab").path,
    ]
  }

  private static func run(
    _ program: String, _ arguments: [String], _ environment: [String: String?], input: String? = nil
  ) async throws {
    let outcome = try await Command.run(
      program, arguments, input: input.map { Data($0.utf8) }, environment: environment)
    guard outcome.status == .exited(0), !outcome.error.contains("kadmin.local:") else {
      throw TestServerError("\(program): \(outcome.status)\n\(outcome.error)")
    }
  }

  /// Stops the KDC.
  package func stop() async { await process.stop() }
}
