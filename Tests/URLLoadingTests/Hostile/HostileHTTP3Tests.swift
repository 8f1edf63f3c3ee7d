import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingHTTPSemantics
import URLLoadingTestServers

@testable import URLLoading

/// HTTP/3 servers that lie, stop and die. Nobody answers by TCP where they are, so that what fails there fails.
@Suite(.timeLimit(.minutes(8)), .serialized, .enabled(if: TransferLibrary.speaksHTTP3)) struct HostileHTTP3Tests {
  private static let lazy = LazyServer { try await QUICServer.start() }

  private static func session(
    timeout: TimeInterval = 3, isOnlyWay: Bool = true, _ events: EventRecorder? = nil
  ) async throws -> RecordedSession {
    let authority = try await TestCertificates.shared.authority
    return RecordedSession { configuration in
      configuration.certificateAuthorityFile = authority
      configuration.timeoutIntervalForRequest = timeout
      configuration.network.maximumHTTPVersion = .http3
      configuration.urlCache = nil
      configuration.sessionEventListener = events
      configuration[QUICSettings.self].isOnlyWay = isOnlyWay
      configuration[QUICSettings.self].headStart = .seconds(20)
    }
  }

  private static func request(_ url: URL, _ method: String = "GET") -> URLRequest {
    var request = URLRequest(url: url)
    request.assumesHTTP3Capable = true
    request.httpMethod = method
    return request
  }

  /// Loads what comes whole. Where a library loses the request, which waits in vain then, the next one has another connection.
  private static func load(_ url: URL, in client: RecordedSession) async -> LoadRecord {
    let record = await client.load(url)
    return record.code == .timedOut && TransferLibrary.losesHTTP3Requests ? await client.load(url) : record
  }

  @Test func aGoodOneIsLoadedFrom() async throws {
    let server = try await Self.lazy.server
    let client = try await Self.session()
    for _ in 0..<3 {
      let record = await Self.load(try server.url(), in: client)
      #expect(record.error == nil && record.body == QUICServer.body)
    }
  }

  /// What is not whole fails, and no part is passed off as the whole.
  @Test(arguments: ["/short", "/long", "/reset", "/die", "/close", "/headless", "/nothing", "/garbage", "/silent"])
  func whatIsNotWholeFails(_ path: String) async throws {
    let server = try await Self.lazy.server
    let client = try await Self.session()
    let record = await client.load(try server.url(path))
    #expect(record.error != nil && record.completions == 1, "\(record.status ?? 0), \(record.body.count) bytes")
    // The session is of use for others.
    let next = await Self.load(try server.url("/after\(path)"), in: client)
    #expect(next.error == nil && next.body == QUICServer.body, "\(String(describing: next.error))")
  }

  @Test func aHugeHeadIsRefused() async throws {
    let server = try await Self.lazy.server
    let record = await (try await Self.session()).load(try server.url("/hugehead"))
    #expect(record.error != nil && record.response == nil)
  }

  @Test func aServerThatGoesAwayFinishesWhatItHas() async throws {
    let server = try await Self.lazy.server
    let client = try await Self.session()
    for _ in 0..<3 {
      let record = await Self.load(try server.url("/goaway"), in: client)
      #expect(record.error == nil && record.body == QUICServer.body)
    }
  }

  /// RFC 9114, section 4.1.1: it has not been processed.
  @Test(arguments: ["/refuse", "/reject"])
  func aRefusedRequestEnds(_ path: String) async throws {
    let server = try await Self.lazy.server
    let record = await (try await Self.session()).load(try server.url(path))
    #expect(record.error != nil && record.response == nil && record.completions == 1)
    // libcurl 8.23 sends it six times, and this package once again.
    #expect(server.requests(for: path) <= 12)
  }

  @Test(arguments: ["version", "protocol"])
  func whoSpeaksSomethingElseIsReachedByTCP(_ name: String) async throws {
    let server = try await Self.lazy.server
    let nginx = try await NginxServer.shared
    let events = EventRecorder()
    let client = try await Self.session(isOnlyWay: false, events)
    let url = nginx.url("/small.txt", on: .https)
    client.session.parts.policyStorage.recordAlternatives(
      "h3=\":\(try server.port(name))\"", from: try #require(HTTPOrigin(url)), isVerified: true, age: 0)
    let record = await client.load(url)
    #expect(record.error == nil && record.body == DocumentRoot.small)
    #expect(await events.waitForEnd())
    #expect(events.events().contains("retry connection-lost"), "\(events.events())")
    let alone = await (try await Self.session()).load(try server.url(of: name))
    #expect(alone.error != nil && alone.response == nil)
  }

  private static let randomSeconds = ProcessEnvironment.value(of: "QUIC_SECONDS").flatMap { Int($0) }

  /// Frames that make no sense, for as many seconds as QUIC_SECONDS says. Not every release of the libraries outlives them.
  @Test(.enabled(if: randomSeconds != nil)) func randomFramesEndInAnError() async throws {
    let seconds = Self.randomSeconds ?? 0
    let server = try await QUICServer.start(seed: seconds)
    let end = MonotonicInstant.now.advanced(by: .seconds(seconds))
    var count = 0
    while MonotonicInstant.now < end {
      let client = try await Self.session(timeout: 2)
      let url = try server.url("/\(count)", of: "random")
      let records = await withTaskGroup(of: LoadRecord.self) { group in
        for _ in 0..<8 { group.addTask { await client.load(url) } }
        var records: [LoadRecord] = []
        for await record in group { records.append(record) }
        return records
      }
      #expect(records.allSatisfy { $0.completions == 1 })
      count += 1
    }
    let record = await (try await Self.session()).load(try server.url())
    #expect(count > 0 && record.error == nil && record.body == QUICServer.body)
    await server.stop()
  }

  @Test(arguments: [true, false])
  func aCertificateThatIsNotTrustedFailsTheLoad(_ isOnlyWay: Bool) async throws {
    let server = try await Self.lazy.server
    let client = try await Self.session(isOnlyWay: isOnlyWay)
    let record = await client.load(Self.request(try server.url(of: "untrusted")))
    #expect(record.code == .serverCertificateUntrusted)
  }

  @Test func aThousandStreamsEnd() async throws {
    let server = try await Self.lazy.server
    let client = try await Self.session(timeout: 60)
    let url = try server.url("/many")
    let records = await withTaskGroup(of: LoadRecord.self) { group in
      for _ in 0..<1000 { group.addTask { await client.load(url, timeout: .seconds(120)) } }
      var records: [LoadRecord] = []
      for await record in group { records.append(record) }
      return records
    }
    #expect(records.allSatisfy { $0.error == nil && $0.body == QUICServer.body })
  }

  @Test func loadsCanBeCancelledAtEachStep() async throws {
    let server = try await Self.lazy.server
    let client = try await Self.session()
    for path in ["/", "/silent", "/die"] {
      for step in 0..<6 {
        let task = client.session.dataTask(with: try server.url(path))
        let identifier = task.taskIdentifier
        task.resume()
        if step > 2 {
          _ = await client.recorder.records.wait(timeout: .milliseconds(300)) { $0[identifier]?.response != nil }
        }
        task.cancel()
        #expect(await client.recorder.records.wait { ($0[identifier]?.completions ?? 0) > 0 })
      }
    }
    let record = await Self.load(try server.url(), in: client)
    #expect(record.error == nil && record.body == QUICServer.body)
  }
}
