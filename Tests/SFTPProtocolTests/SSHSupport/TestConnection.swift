import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import SFTPProtocol

/// A connection of a test, closed with it.
final class TestConnection: Sendable {
  let user: TestChannelUser
  let connection: SSHConnection

  init(_ options: SSHConnectionOptions, sending bytes: Data = Data(), keepsBytes: Bool = true) {
    user = TestChannelUser(sending: bytes, keepsBytes: keepsBytes)
    connection = SSHConnection(options, user: user)
    connection.start()
  }

  deinit {
    connection.close()
  }

  /// Options for sshd, with the key that it lets in.
  static func options(
    _ server: SSHServer, policy: any HostKeyPolicy = TestHostKeyPolicy(),
    authenticator: any SSHAuthenticator = TestAuthenticator()
  ) async throws -> SSHConnectionOptions {
    var options = SSHConnectionOptions(
      host: "127.0.0.1", port: server.port, user: SSHServer.user, hostKeyPolicy: policy, authenticator: authenticator)
    options.identities.files = [try await SSHServer.clientKeys.ed25519.file.path]
    return options
  }

  static func options(
    _ server: PasswordSSHServer, authenticator: any SSHAuthenticator = TestAuthenticator()
  ) -> SSHConnectionOptions {
    SSHConnectionOptions(
      host: "127.0.0.1", port: server.port, user: PasswordSSHServer.user, hostKeyPolicy: TestHostKeyPolicy(),
      authenticator: authenticator)
  }

  /// Options for whoever listens on a loopback port.
  static func options(port: UInt16) -> SSHConnectionOptions {
    SSHConnectionOptions(
      host: "127.0.0.1", port: port, user: "user", hostKeyPolicy: TestHostKeyPolicy(),
      authenticator: TestAuthenticator())
  }

  /// Opens, says what is wrong otherwise.
  func expectOpen(sourceLocation: SourceLocation = #_sourceLocation) async {
    let opens = await user.opens()
    #expect(
      opens, "\(user.state.value.error?.localizedDescription ?? "it takes too long")", sourceLocation: sourceLocation)
  }

  /// Whether the connection's deadline does not run now.
  var deadlineStandsStill: Bool {
    get async {
      await withCheckedContinuation { continuation in
        let isTaken = connection.post { continuation.resume(returning: $0.deadline.time == nil) }
        if !isTaken { continuation.resume(returning: false) }
      }
    }
  }

  /// When bytes came last; long ago where the connection has ended.
  var lastReceived: MonotonicInstant {
    get async {
      await withCheckedContinuation { continuation in
        let never = MonotonicInstant(nanoseconds: 0)
        let isTaken = connection.post { continuation.resume(returning: $0.session?.socket.lastReceived ?? never) }
        if !isTaken { continuation.resume(returning: never) }
      }
    }
  }

  /// Ends by itself, and says how.
  func failure(timeout: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation) async -> SSHFailure?
  {
    let closes = await user.closes(timeout: timeout)
    #expect(closes, "has not ended", sourceLocation: sourceLocation)
    #expect(user.failure != nil, "ended without an error", sourceLocation: sourceLocation)
    return user.failure
  }

  /// Ends when it is closed, long before anything else would end it. How long exactly depends on what else the machine does: see
  /// `PromptnessTests`.
  @discardableResult
  func expectPromptEnd(sourceLocation: SourceLocation = #_sourceLocation) async -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    connection.close(SSHFailure(.cancelled, "cancelled"))
    let closes = await user.closes()
    #expect(closes, sourceLocation: sourceLocation)
    let time = clock.now - start
    #expect(time < .seconds(3), sourceLocation: sourceLocation)
    #expect(user.failure?.kind == .cancelled, sourceLocation: sourceLocation)
    return time
  }
}
