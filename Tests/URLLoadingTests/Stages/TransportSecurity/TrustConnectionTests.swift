import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// What challenges about servers cost, by the servers' log.
@Suite(.timeLimit(.minutes(4))) struct TrustConnectionTests {
  /// The delegate's answers, and none.
  private static let delegates: [@Sendable () -> TrustDelegate?] = [
    { nil }, { .answering(.performDefaultHandling) }, { .accepting() },
  ]

  private static func session(_ delegate: TrustDelegate?) async throws -> URLSession {
    let roots = try await TLSCorpus.shared.file("authorities.pem")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = roots
    return delegate?.session { $0.certificateAuthorityFile = roots } ?? URLSession(configuration: configuration)
  }

  @Test(arguments: 0..<3) func aConnectionCostsOneHandshakeMoreAndItsReuseNothing(_ index: Int) async throws {
    let delegate = Self.delegates[index]()
    let server = try await TLSCorpus.shared.start("good")
    let session = try await Self.session(delegate)
    for _ in 0..<5 { _ = try await session.data(from: server.url("good")) }
    #expect(try await server.waitForLog(of: "good") { $0.requests.count == 5 })
    let log = server.log(of: "good")
    #expect(log.handshakes.count == 1 && Set(log.requests.map(\.connection)).count == 1)
    #expect(log.failures.count == (delegate == nil ? 0 : 1))
    #expect(delegate?.challenges.value.count ?? 0 == log.failures.count)
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  @Test(arguments: 0..<3, ["1.2", "1.3"]) func onlyLoadsThatAskNobodyResumeSessions(
    _ index: Int, _ version: String
  ) async throws {
    let delegate = Self.delegates[index]()
    let server = try await TLSCorpus.shared.start("good") { options in
      (options.closes, options.minimum, options.maximum) = (true, version, version)
    }
    let session = try await Self.session(delegate)
    for _ in 0..<4 { _ = try await session.data(from: server.url("good")) }
    #expect(try await server.waitForLog(of: "good") { $0.handshakes.count == 4 })
    let log = server.log(of: "good")
    #expect(log.handshakes.map(\.isResumed) == [false] + [Bool](repeating: delegate == nil, count: 3))
    #expect(log.failures.count == (delegate == nil ? 0 : 4))
    #expect(log.handshakes.allSatisfy { $0.version == "TLSv\(version)" })
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  /// A session that asks nobody shares its TLS sessions with others of its kind alone.
  @Test func aTLSSessionIsNotResumedByALoadThatAsks() async throws {
    let server = try await TLSCorpus.shared.start("good") { $0.closes = true }
    for index in [0, 1, 0, 2, 0] {
      let session = try await Self.session(Self.delegates[index]())
      _ = try await session.data(from: server.url("good", "/\(index)"))
      session.finishTasksAndInvalidate()
    }
    let log = server.log(of: "good")
    let asking = log.requests.filter { $0.path != "/0" }.map(\.connection)
    #expect(asking.count == 2)
    #expect(log.handshakes.allSatisfy { !$0.isResumed || !asking.contains($0.connection) })
    await server.stop()
  }

  /// One of libcurl's caches has places for a few hosts.
  @Test func aTLSSessionOutlastsOthersThatComeBehindIt() async throws {
    let corpus = try await TLSCorpus.shared
    var options = try #require(corpus.conditions["good"])
    options.closes = true
    let many = (0..<30).map { String($0) }
    let server = try await TLSServer.start(
      Dictionary(uniqueKeysWithValues: (many + ["first", "second"]).map { ($0, options) }))
    let session = try await Self.session(nil)
    for name in many + ["first", "second", "first", "second"] {
      _ = try await session.data(from: server.url(name))
    }
    for name in ["first", "second"] {
      #expect(try await server.waitForLog(of: name) { $0.handshakes.count == 2 })
      #expect(server.log(of: name).handshakes.map(\.isResumed) == [false, true], "\(name)")
    }
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  /// Nor by a session that verifies by other roots: it would take a server that it does not trust.
  @Test func aTLSSessionIsNotResumedByOtherRoots() async throws {
    let server = try await TLSCorpus.shared.start("good") { $0.closes = true }
    let (first, second) = (try await Self.session(nil), try await Self.session(nil))
    for session in [first, second] { _ = try await session.data(from: server.url("good")) }
    // Sessions of one kind share them: else the rest says nothing.
    #expect(server.log(of: "good").handshakes.map(\.isResumed) == [false, true])
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let other = URLSession(configuration: configuration)
    let error = await #expect(throws: URLError.self) { try await other.data(from: server.url("good")) }
    #expect(error?.code == .serverCertificateUntrusted)
    // libcurl 8.23 refuses the server when the handshake is complete.
    #expect(try await server.waitForLog(of: "good") { $0.handshakes.count + $0.failures.count == 3 })
    let log = server.log(of: "good")
    #expect(log.handshakes.dropFirst(2).allSatisfy { !$0.isResumed } && log.requests.count == 2)
    for session in [first, second, other] { session.finishTasksAndInvalidate() }
    await server.stop()
  }

  /// Nor by a load with pins: a resumed handshake shows no certificate to compare them with.
  @Test func aTLSSessionIsNotResumedByALoadWithPins() async throws {
    let corpus = try await TLSCorpus.shared
    let roots = SecCertificate.certificates(pem: try Data(contentsOf: corpus.file("root.pem")))
    let pin = try #require(roots.first?.publicKeyHash).base64EncodedString()
    let server = try await corpus.start("good") { $0.closes = true }
    for (index, isPinned) in [false, false, true, true, false].enumerated() {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.connectionProxyDictionary = [:]
      configuration.certificateAuthorityFile = corpus.file("authorities.pem")
      if isPinned {
        configuration.appTransportSecurity = AppTransportSecurity([
          "NSPinnedDomains": ["localhost": ["NSPinnedCAIdentities": [["SPKI-SHA256-BASE64": pin]]]]
        ])
      }
      let session = URLSession(configuration: configuration)
      _ = try await session.data(from: server.url("good", "/\(index)", host: "localhost"))
      session.finishTasksAndInvalidate()
    }
    #expect(try await server.waitForLog(of: "good") { $0.handshakes.count == 5 })
    // The others do share: else the rest says nothing.
    #expect(server.log(of: "good").handshakes.map(\.isResumed) == [false, true, false, false, true])
    await server.stop()
  }

  /// One connection of a task's delegate, one of another's, and one of loads without.
  @Test func connectionsAreNotSharedBetweenWhoJudges() async throws {
    let server = try await TLSCorpus.shared.start("good")
    let session = try await Self.session(nil)
    let delegates: [TaskTrustDelegate?] = [TaskTrustDelegate(), TaskTrustDelegate(), nil]
    for round in 0..<3 {
      for (index, delegate) in delegates.enumerated() {
        _ = try await session.data(from: server.url("good", "/\(index)/\(round)"), delegate: delegate)
      }
    }
    let log = server.log(of: "good")
    #expect(log.requests.count == 9)
    let owners = Dictionary(grouping: log.requests, by: \.connection).mapValues { Set($0.map { $0.path.prefix(2) }) }
    #expect(owners.count == 3 && owners.values.allSatisfy { $0.count == 1 })
    #expect(log.handshakes.count == 3 && log.failures.count == 2)
    session.finishTasksAndInvalidate()
    await server.stop()
  }

  /// Whoever finds the pin and leaves the rest to default handling is asked about every other chain, be that trusted as well.
  @Test func aPinHoldsForTheConnectionThatIsMadeAgain() async throws {
    let corpus = try await TLSCorpus.shared
    let pin = SecCertificate.certificates(pem: try Data(contentsOf: corpus.file("root.pem"))).first?.publicKeyHash
    let other = try corpus.chain("other trusted authority").path
    for second in [other, try corpus.chain("wrong order").path] {
      let server = try await corpus.start("good") { $0.chains.append(second) }
      let delegate = TrustDelegate { challenge in
        let chain = challenge.protectionSpace.serverTrust.flatMap {
          SecTrustCopyCertificateChain($0) as? [SecCertificate]
        }
        let isPinned = chain?.contains { $0.publicKeyHash == pin } == true
        return (isPinned ? .performDefaultHandling : .cancelAuthenticationChallenge, nil)
      }
      let session = try await Self.session(delegate)
      if second == other {
        let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("good")) }
        #expect(error?.code == .cancelled && server.log(of: "good").requests.isEmpty)
      } else {
        _ = try await session.data(from: server.url("good"))
      }
      #expect(delegate.challenges.value.count == 2)
      session.finishTasksAndInvalidate()
      await server.stop()
    }
  }

  /// A credential is for the server whose trust it is made of.
  @Test func trustInOneServerIsNoneInAnother() async throws {
    let server = try await TLSCorpus.server
    let first = Watched<SecTrust?>(nil)
    let delegate = TrustDelegate { challenge in
      let trust = first.update { first in
        first = first ?? challenge.protectionSpace.serverTrust
        return first
      }
      return (.useCredential, trust.map { URLCredential(trust: $0) })
    }
    let session = delegate.session()
    _ = try await session.data(from: server.url("self-signed", "/first"))
    let error = await #expect(throws: URLError.self) {
      try await session.data(from: server.url("unknown authority", "/another"))
    }
    #expect(error?.code == .serverCertificateUntrusted)
    session.finishTasksAndInvalidate()
  }

  @Test func aHundredLoadsAtOnceAreAllAnswered() async throws {
    let server = try await TLSCorpus.shared.start("unknown authority")
    let delegate = TrustDelegate.accepting()
    let session = try await Self.session(delegate)
    try await withThrowingTaskGroup(of: Data.self) { group in
      for index in 0..<100 {
        let url = try server.url("unknown authority", "/\(index)")
        group.addTask { try await session.data(from: url).0 }
      }
      for try await data in group { #expect(data.starts(with: Data("connection".utf8))) }
    }
    let log = server.log(of: "unknown authority")
    #expect(Set(log.requests.map(\.path)).count == 100 && log.requests.count == 100)
    // Each handshake that was ended had its question, and none more.
    #expect(delegate.challenges.value.count == log.failures.count)
    #expect(log.failures.count <= 100)
    session.finishTasksAndInvalidate()
    await server.stop()
  }
}
