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
