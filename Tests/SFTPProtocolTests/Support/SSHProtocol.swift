import Foundation
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// The protocol class as it is, but for the user's home: that is a test's own folder.
final class SSHProtocol: SFTPProtocol, @unchecked Sendable {
  /// The homes of sessions, by a name in their configuration.
  fileprivate static let homes = Watched<[String: String]>([:])

  override func pool(of session: URLSession) -> SFTPPool { session.component(SSHPool.self).pool }
}

private final class SSHPool: URLSessionComponent {
  let pool: SFTPPool

  init(configuration: URLSessionConfiguration) {
    let name = configuration.httpAdditionalHeaders?["X-Home"] as? String ?? ""
    let home = SSHProtocol.homes.value[name] ?? "/nonexistent"
    var source = ConfigurationSource.machine
    let read = source.read
    source.home = home
    source.environment = [:]
    // Nothing of the machine's own configuration.
    source.read = { $0.hasPrefix(home) ? read($0) : .failure(Problem("not of this test", isMissing: true)) }
    pool = SFTPPool(
      connector: SSHConnector(
        source: source, credentials: configuration.urlCredentialStorage, network: configuration.network),
      largestConnectionCount: configuration.httpMaximumConnectionsPerHost)
  }

  func flush() { pool.flush() }
  func invalidate() { pool.invalidate() }
}

/// A user's home with the files of SSH, and a session that uses them.
final class SSHHome: Sendable {
  let folder: TemporaryDirectory
  let session: URLSession

  init(
    knownHosts: String = "", configuration: String = "", delegate: (any URLSessionDelegate)? = nil,
    credentials: URLCredentialStorage? = nil, network: NetworkSettings = NetworkSettings()
  ) throws {
    folder = try TemporaryDirectory("home")
    try folder.write(".ssh/known_hosts", knownHosts)
    try folder.write(".ssh/config", configuration)
    chmod(folder.file(".ssh/config").path, 0o600)
    let path = folder.path
    SSHProtocol.homes.update { $0[path] = path }
    let setup = URLSessionConfiguration.ephemeral
    setup.protocolClasses = [SSHProtocol.self]
    setup.httpAdditionalHeaders = ["X-Home": path]
    setup.urlCredentialStorage = credentials
    setup.network = network
    session = URLSession(configuration: setup, delegate: delegate, delegateQueue: nil)
  }

  deinit {
    session.invalidateAndCancel()
  }

  var knownHosts: String {
    (try? String(contentsOf: folder.file(".ssh/known_hosts"), encoding: .utf8)) ?? ""
  }

  /// A home that knows sshd's keys and has a key for it.
  static func friendly(
    to server: SSHServer, knownHosts: String? = nil, configuration: String = "",
    delegate: (any URLSessionDelegate)? = nil, network: NetworkSettings = NetworkSettings()
  ) async throws -> SSHHome {
    let key = try await SSHServer.clientKeys.ed25519.file.path
    return try SSHHome(
      knownHosts: knownHosts ?? server.knownHosts,
      configuration: "\(configuration)\nHost *\n  IdentityFile \"\(key)\"\n",
      delegate: delegate, network: network)
  }
}
