import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Servers that show odd, damaged and dishonest certificates: every load ends with an error, whoever judges.
@Suite(.timeLimit(.minutes(8))) struct HostileHandshakeTests {
  /// Loads from each server, with and without a delegate that accepts everything and looks at all that it is shown.
  private static func load(from options: [String: TLSServer.Options]) async throws {
    let server = try await TLSServer.start(options)
    let delegate = TrustDelegate { challenge in
      guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
      for certificate in trust.certificates { _ = (certificate.description, certificate.dnsNames, certificate.issuer) }
      _ = SecTrustEvaluateWithError(trust, nil)
      return (.useCredential, URLCredential(trust: trust))
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    for session in [delegate.session(), URLSession(configuration: configuration)] {
      await withTaskGroup(of: Void.self) { group in
        for name in server.names {
          group.addTask {
            await #expect(throws: URLError.self, "\(name)") { try await session.data(from: server.url(name)) }
          }
        }
      }
      session.finishTasksAndInvalidate()
    }
    await server.stop()
  }

  private static func options(_ files: [URL], staple: URL? = nil) -> TLSServer.Options {
    var options = TLSServer.Options()
    options.shows = files.map(\.path)
    options.staple = staple?.path
    return options
  }

  @Test func oddCertificatesAndChainsAreShown() async throws {
    let corpus = try await HostileCorpus.shared
    var all: [String: TLSServer.Options] = [:]
    for name in corpus.certificates.keys { all[name] = Self.options([corpus.file("certificates/\(name)")]) }
    for (name, chain) in corpus.chains {
      let files = chain.indices.map { corpus.file("chains/\(name)/\(String(format: "%03d", $0))") }
      all[name] = Self.options(files)
      all["\(name), turned"] = Self.options(files.reversed())
    }
    all["none"] = Self.options([])
    try await Self.load(from: all)
  }

  @Test func damagedCertificatesAndResponsesAreShown() async throws {
    let corpus = try await HostileCorpus.shared
    let good = try #require(corpus.certificates["good"])
    let folder = try TemporaryDirectory("damaged")
    var random = SeededGenerator(seed: 27)
    var all: [String: TLSServer.Options] = [:]
    let staple = try #require(try await TLSCorpus.shared.conditions["stapled revoked"]?.staple)
    let response = try Data(contentsOf: URL(fileURLWithPath: staple))
    for index in 0..<60 {
      var (data, damaged) = (good, response)
      data[Int.random(in: data.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      damaged[Int.random(in: damaged.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let certificate = try folder.write("\(index).der", data)
      all["certificate \(index)"] = Self.options([certificate])
      all["response \(index)"] = Self.options(
        [corpus.file("certificates/good")], staple: try folder.write("\(index).ocsp", damaged))
    }
    try await Self.load(from: all)
  }
}
