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
      // Of two failures, libcurl tells the one that it comes upon first, which is another one with newer versions.
      let tellsOther =
        behaviour == .none && row.condition.contains(" and ") && outcome == .fails(.serverCertificateUntrusted)
      #expect(tellsOther || outcome == row.outcomes[behaviour], "\(row.condition), \(behaviour): \(outcome)")
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
    for (condition, host) in [
      ("expired", "127.0.0.1"), ("unknown authority", "127.0.0.1"), ("wrong name", "localhost"),
    ] {
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

  @Test func whatTheServerStapledIsInTheMetrics() async throws {
    let server = try await TLSCorpus.server
    let delegate = TrustDelegate.accepting()
    let roots = try await TLSCorpus.shared.file("authorities.pem")
    let session = delegate.session { $0.certificateAuthorityFile = roots }
    for condition in ["good", "stapled good", "stapled unknown", "stapled revoked", "stapled revoked in TLS 1.2"] {
      _ = try await session.data(from: server.url(condition, "/metrics"))
      let stapled = try #require(delegate.metrics.value.last?.stapledOCSPResponse)
      let asked = delegate.challenges.value.last?.protectionSpace.serverTrust?.stapledResponse
      #expect(asked == stapled)
      switch (condition, stapled) {
      case ("good", .absent), ("stapled good", .good), ("stapled unknown", .unknown): break
      case ("stapled revoked", .revoked(let date?, let reason)),
        ("stapled revoked in TLS 1.2", .revoked(let date?, let reason)):
        #expect(date < .now && reason == "keyCompromise")
      default: Issue.record("\(condition): \(stapled)")
      }
    }
    for condition in ["out of date", "of the future", "damaged", "try later"] {
      _ = try await session.data(from: server.url("stapled \(condition)", "/metrics"))
      guard case .invalid(let words)? = delegate.metrics.value.last?.stapledOCSPResponse, !words.isEmpty else {
        Issue.record("\(condition)")
        continue
      }
    }
    session.finishTasksAndInvalidate()
  }

  /// OpenSSL's servers staple no response that they cannot read, or that is about another certificate.
  @Test func responsesThatServersDoNotStapleAreOfNoUse() async throws {
    let corpus = try await TLSCorpus.shared
    let folder = try TemporaryDirectory("responses")
    let another = try #require(corpus.conditions["stapled good"]?.staple)
    let files = [
      another, try folder.write("nonsense", "nonsense").path, try folder.write("list", Data([0x30, 0])).path,
    ]
    for file in files {
      var options = TLSServer.Options()
      options.shows = [corpus.file("RSA 2048.der").path, corpus.file("intermediate.der").path]
      options.staple = file
      let server = try await TLSServer.start(["shown": options])
      let delegate = TrustDelegate.answering(.performDefaultHandling)
      let session = delegate.session { $0.certificateAuthorityFile = corpus.file("authorities.pem") }
      // Nobody has the key.
      let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("shown")) }
      if file != another, Self.refusesWhatIsNoResponse {
        #expect(
          delegate.challenges.value.isEmpty && error?.code == .secureConnectionFailed, "\(String(describing: error))")
        session.finishTasksAndInvalidate()
        await server.stop()
        continue
      }
      let trust = try #require(delegate.challenges.value.first?.protectionSpace.serverTrust)
      guard case .invalid(let words) = trust.stapledResponse else {
        Issue.record("\(trust.stapledResponse)")
        continue
      }
      #expect(words.contains(file == another ? "another certificate" : "damaged"))
      #expect(SecTrustEvaluateWithError(trust, nil))
      session.finishTasksAndInvalidate()
      await server.stop()
    }
  }

  /// Since 3.6 OpenSSL ends the handshake by itself (RFC 6066, section 8).
  private static let refusesWhatIsNoResponse: Bool = {
    let library = LinkedLibraries.transfer.split(separator: " ").first { $0.hasPrefix("OpenSSL/") } ?? ""
    let version = library.dropFirst("OpenSSL/".count).split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
    return !version.lexicographicallyPrecedes([3, 6])
  }()

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
