import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Which connections resume a TLS session by its ticket.
@Suite(.timeLimit(.minutes(4))) struct SessionTicketTests {
  @Test(arguments: ClosingServer.versions) func theNextConnectionResumes(_ version: TLSConfiguration.Version)
    async throws
  {
    let server = try await ClosingServer.start()
    let engine = try await makeTrustingEngine()
    for expected in [false, true, true] { #expect(try await engine.resumes(server.url(version)) == expected) }
    // Sessions of one kind share them.
    #expect(try await makeTrustingEngine().resumes(server.url(version)) == true)
    await server.stop()
  }

  private static let rules: [@Sendable (inout ConnectionSecurity) -> Void] = [
    { _ in }, { $0.requirements = TLSRequirements(minimumVersion: .v12, requiresForwardSecrecy: true) },
    { $0.asksForIdentity = true },
  ]

  /// A resumed handshake shows no certificate that a delegate, or pins, could be asked about.
  @Test(arguments: ClosingServer.versions, 0..<3)
  func nobodyWhoJudgesServersHasOne(_ version: TLSConfiguration.Version, _ index: Int) async throws {
    let server = try await ClosingServer.start()
    let engine = try await makeTrustingEngine()
    var security = ConnectionSecurity(pool: ConnectionPoolKey())
    Self.rules[index](&security)
    for (expected, security) in [(false, nil), (true, nil), (false, security), (false, security), (true, nil)] {
      #expect(try await engine.resumes(server.url(version), security) == expected)
    }
    await server.stop()
  }

  @Test(arguments: ClosingServer.versions) func addedPinsAreCompared(_ version: TLSConfiguration.Version) async throws {
    let server = try await ClosingServer.start()
    let engine = try await makeTrustingEngine()
    for expected in [false, true] { #expect(try await engine.resumes(server.url(version)) == expected) }
    var request = TransferRequest(url: server.url(version))
    request.security = ConnectionSecurity(pool: ConnectionPoolKey())
    request.security?.requirements = TLSRequirements(leafPins: [Data(count: 32)])
    let failure = try #require(try await engine.run(request).failure)
    guard case .brokenRequirement(let violation) = failure.reason else { throw failure }
    #expect(violation.rule == .pinnedLeaf)
    await server.stop()
  }

  @Test(arguments: ClosingServer.versions) func anAddedDelegateIsAsked(_ version: TLSConfiguration.Version) async throws
  {
    let server = try await ClosingServer.start()
    let engine = try await makeTrustingEngine()
    for expected in [false, true] { #expect(try await engine.resumes(server.url(version)) == expected) }
    var request = TransferRequest(url: server.url(version))
    request.security = ConnectionSecurity(pool: ConnectionPoolKey())
    request.security?.asksForTrust = true
    let failure = try #require(try await engine.run(request).failure)
    guard case .serverTrust(let peer) = failure.reason else { throw failure }
    #expect(peer.verdict.isTrusted && !peer.certificates.isEmpty)
    await server.stop()
  }
}

extension TLSRequirements {
  fileprivate init(
    minimumVersion: TLSConfiguration.Version? = nil, requiresForwardSecrecy: Bool = false, leafPins: Set<Data> = []
  ) {
    self.init()
    self.minimumVersion = minimumVersion
    self.requiresForwardSecrecy = requiresForwardSecrecy
    self.leafPins = leafPins
  }
}
