import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Servers of all conditions, before everybody who may judge them.
@Suite(.timeLimit(.minutes(8))) struct TrustTableTests {
  @Test(arguments: TrustTable.rows) func comesToWhatTheTableSays(_ row: TrustTable.Row) async throws {
    let corpus = try await TLSCorpus.shared
    let server = try await TLSCorpus.server
    let root = SecCertificate.certificates(pem: try Data(contentsOf: corpus.file("root.pem"))).first
    let pin = try #require(root?.publicKeyHash)
    for behaviour in TrustBehaviour.allCases {
      let path = "/table-\(behaviour)"
      let outcome = try await Self.load(
        server.url(row.condition, path, host: row.host), behaviour.delegate(pin: pin), corpus.file("authorities.pem"))
      #expect(outcome == row.outcomes[behaviour], "\(row.condition), \(behaviour): \(outcome)")
      let isSent = server.log(of: row.condition).requests.contains { $0.path == path }
      switch outcome {
      case .loads, .fails(.networkConnectionLost): #expect(isSent, "\(behaviour)")
      case .fails: #expect(!isSent, "\(behaviour) sent a request to a server that it does not load from")
      }
    }
  }

  @Test func theTableHasEveryConditionOnce() async throws {
    #expect(TrustTable.rows.map(\.condition).sorted() == (try await TLSCorpus.shared.conditions.keys.sorted()))
    #expect(TrustTable.rows.allSatisfy { $0.outcomes.count == TrustBehaviour.allCases.count })
  }

  /// A key is what it is, whatever else there is to say of a certificate.
  @Test func theLeafsKeyIsPinnedWithoutEvaluation() async throws {
    let corpus = try await TLSCorpus.shared
    let server = try await TLSCorpus.server
    for (condition, host) in [("expired", "127.0.0.1"), ("unknown authority", "127.0.0.1"), ("wrong name", "localhost")] {
      let chain = SecCertificate.certificates(pem: try Data(contentsOf: corpus.chain(condition)))
      let pinned = try #require(chain.first.flatMap { SecCertificateCopyKey($0) })
      let delegate = TrustDelegate { challenge in
        guard let trust = challenge.protectionSpace.serverTrust, SecTrustCopyKey(trust) == pinned else {
          return (.cancelAuthenticationChallenge, nil)
        }
        return (.useCredential, URLCredential(trust: trust))
      }
      let roots = corpus.file("authorities.pem")
      let own = try await Self.load(server.url(condition, "/leaf", host: host), delegate, roots)
      if case .fails(let code) = own { Issue.record("\(condition): \(code)") }
      let other = try await Self.load(server.url("good", "/leaf"), delegate, roots)
      #expect(other == .fails(.cancelled))
    }
  }

  private static func load(_ url: URL, _ delegate: TrustDelegate?, _ roots: URL) async throws -> TrustOutcome {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = roots
    let session =
      delegate?.session { $0.certificateAuthorityFile = roots } ?? URLSession(configuration: configuration)
    defer { session.finishTasksAndInvalidate() }
    do {
      let (data, _) = try await session.data(from: url)
      #expect(String(decoding: data, as: UTF8.self).hasPrefix("connection "))
    } catch let error as URLError {
      return .fails(error.code)
    }
    let weakened = delegate?.metrics.value.last?.weakenedChecks ?? []
    if weakened.contains(where: { $0.reason.isEmpty || $0.cause != .delegate }) { Issue.record("\(weakened)") }
    return .loads(without: Set(weakened.map(\.check)))
  }
}
