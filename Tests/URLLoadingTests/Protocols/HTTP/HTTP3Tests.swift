import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingHTTPSemantics
import URLLoadingTestServers

@testable import URLLoading

/// HTTP/3 against caddy, with a libcurl that has it.
@Suite(.timeLimit(.minutes(4)), .enabled(if: TransferLibrary.speaksHTTP3)) struct HTTP3Tests {
  /// - Parameter hasTime: whether QUIC has all the time that it needs on a machine that is busy.
  private static func configure(_ configuration: URLSessionConfiguration, hasTime: Bool = true) {
    configuration.network.maximumHTTPVersion = .http3
    configuration.urlCache = nil
    if hasTime { configuration[QUICSettings.self].headStart = .seconds(20) }
  }

  private static func session(
    trusts: Bool = true, hasTime: Bool = true, configure: (URLSessionConfiguration) -> Void = { _ in }
  ) async throws -> RecordedSession {
    let authority = try await TestCertificates.shared.authority
    return RecordedSession { configuration in
      if trusts { configuration.certificateAuthorityFile = authority }
      Self.configure(configuration, hasTime: hasTime)
      configure(configuration)
    }
  }

  /// A request that goes by HTTP/3 at once.
  private static func assuming(_ url: URL, _ method: String = "GET", _ body: Data? = nil) -> URLRequest {
    var request = URLRequest(url: url)
    request.assumesHTTP3Capable = true
    request.httpMethod = method
    request.httpBody = body
    return request
  }

  private static func protocols(_ record: LoadRecord) -> [String?] {
    record.metrics?.transactionMetrics.map(\.networkProtocolName) ?? []
  }

  /// Tells a session where a server can be reached by HTTP/3.
  private static func announce(_ port: UInt16, of url: URL, in session: RecordedSession) throws {
    let origin = try #require(HTTPOrigin(url))
    session.session.parts.policyStorage.recordAlternatives("h3=\":\(port)\"", from: origin, isVerified: true, age: 0)
  }

  // MARK: The choice

  @Test(arguments: LoadKind.allCases)
  func anAnnouncedServerIsReachedByItFromThenOn(_ kind: LoadKind) async throws {
    let url = try await CaddyServer.shared.url()
    let client = try await Self.session()
    let first = await client.load(url, as: kind)
    let second = await client.load(url, as: kind)
    let third = await client.load(url, as: kind)
    for record in [first, second, third] { #expect(record.error == nil && record.body == DocumentRoot.small) }
    guard kind != .async else { return }
    #expect(Self.protocols(first) == ["h2"] && Self.protocols(second) == ["h3"] && Self.protocols(third) == ["h3"])
    let transactions = [second, third].compactMap { $0.metrics?.transactionMetrics.first }
    #expect(transactions.map(\.isReusedConnection) == [false, true])
    let new = try #require(transactions.first)
    #expect(new.secureConnectionStartDate != nil && new.connectEndDate != nil && new.remotePort != nil)
    #expect(new.negotiatedTLSProtocolVersion == .TLSv13)
  }

  @Test func itIsOffUntilItIsAskedFor() async throws {
    let url = try await CaddyServer.shared.url()
    let client = try await Self.session { $0.network.maximumHTTPVersion = .http2 }
    for _ in 0..<3 { #expect(Self.protocols(await client.load(url)) == ["h2"]) }
    // But for requests that say so.
    #expect(Self.protocols(await client.load(Self.assuming(url))) == ["h3"])
    #expect(Self.protocols(await client.load(url)) == ["h2"])
  }

  @Test func withoutTLS13ThereIsNone() async throws {
    let url = try await CaddyServer.shared.url()
    let client = try await Self.session { $0.tlsMaximumSupportedProtocolVersion = .TLSv12 }
    #expect(Self.protocols(await client.load(Self.assuming(url))) == ["h2"])
  }

  @Test func anotherPortIsUsedWhereItIsAnnounced() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /used \"{header.Alt-Used}\"")
    let relay = try DatagramRelay(to: caddy.securePort)
    defer { relay.stop() }
    let client = try await Self.session()
    try Self.announce(relay.port, of: caddy.url(), in: client)
    let record = await client.load(caddy.url("/used"))
    #expect(Self.protocols(record) == ["h3"] && record.text == "127.0.0.1:\(relay.port)" && relay.received > 0)
    await caddy.stop()
  }

  @Test func whatAServerIsNotVerifiedForIsNotBelieved() async throws {
    let url = try await CaddyServer.shared.url()
    let delegate = TrustDelegate.accepting()
    let session = delegate.session { Self.configure($0) }
    defer { session.invalidateAndCancel() }
    for _ in 0..<2 { #expect(try await session.data(from: url).0 == DocumentRoot.small) }
    #expect(await delegate.metrics.wait { $0.count >= 2 })
    #expect(delegate.metrics.value.allSatisfy { $0.networkProtocolName != "h3" } && !delegate.methods.isEmpty)
  }

  // MARK: Loads

  @Test func bodiesGoBothWays() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /echo {http.request.body}")
    let client = try await Self.session()
    for size in [1, 1000, 100_000, 1_000_000] {
      let body = Data((0..<size).map { UInt8(97 + $0 % 26) })
      let record = await client.load(Self.assuming(caddy.url("/echo"), "POST", body))
      #expect(Self.protocols(record) == ["h3"] && record.body == body && record.status == 200)
    }
    await caddy.stop()
  }

  @Test func aLargeBodyComesWhole() async throws {
    let caddy = try await CaddyServer.shared
    let client = try await Self.session()
    let record = await client.load(Self.assuming(caddy.url("/large.bin")), as: .download)
    #expect(Self.protocols(record) == ["h3"] && record.body.count == DocumentRoot.largeSize && record.error == nil)
  }

  @Test func aDownloadIsResumed() async throws {
    let size = 64 << 20
    let caddy = try await CaddyServer.start(largeSize: size)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.certificateAuthorityFile = try await TestCertificates.shared.authority
    configuration[QUICSettings.self].isOnlyWay = true
    let directory = try TemporaryDirectory("resumed")
    let resumeData = try #require(
      try await Downloads.interrupt(
        URLRequest(url: caddy.url("/large.bin")), after: 100_000, configuration: configuration))
    let log = try await Downloads.resume(resumeData, in: directory, configuration: configuration)
    #expect(log.resumed.first.map { $0[0] > 0 } == true)
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
    await caddy.stop()
  }

  @Test(arguments: [64, 1000])
  func manyAtOnceShareAConnection(_ count: Int) async throws {
    let url = try await CaddyServer.shared.url()
    let client = try await Self.session()
    let records = await withTaskGroup(of: LoadRecord.self) { group in
      for _ in 0..<count { group.addTask { await client.load(Self.assuming(url)) } }
      var records: [LoadRecord] = []
      for await record in group { records.append(record) }
      return records
    }
    #expect(records.count == count && records.allSatisfy { $0.error == nil && $0.body == DocumentRoot.small })
    let transactions = records.compactMap { $0.metrics?.transactionMetrics.last }
    #expect(transactions.allSatisfy { $0.networkProtocolName == "h3" })
    #expect(Set(transactions.map(\.localPort)).count <= (count + 99) / 100)
  }

  // MARK: Trust

  @Test func aWrongCertificateFailsTheLoadAsByTCP() async throws {
    let url = try await CaddyServer.shared.url()
    let client = try await Self.session(trusts: false)
    let codes = [await client.load(url).code, await client.load(Self.assuming(url)).code]
    #expect(codes == [.serverCertificateUntrusted, .serverCertificateUntrusted])
  }

  @Test func theDelegateJudgesTheServerOnce() async throws {
    let url = try await CaddyServer.shared.url()
    let delegate = TrustDelegate.accepting()
    let session = delegate.session { Self.configure($0) }
    defer { session.invalidateAndCancel() }
    #expect(try await session.data(for: Self.assuming(url)).0 == DocumentRoot.small)
    #expect(delegate.methods == [NSURLAuthenticationMethodServerTrust])
    #expect(await delegate.metrics.wait { $0.last?.networkProtocolName == "h3" })
  }

  @Test func aRefusedServerGetsNothing() async throws {
    let caddy = try await CaddyServer.start()
    let delegate = TrustDelegate.answering(.cancelAuthenticationChallenge)
    let session = delegate.session { Self.configure($0) }
    defer { session.invalidateAndCancel() }
    let error = await #expect(throws: URLError.self) {
      try await session.data(for: Self.assuming(caddy.url("/secret")))
    }
    #expect(error?.code == .cancelled && delegate.methods.count == 1 && !caddy.log.contains("/secret"))
    await caddy.stop()
  }

  // MARK: Other ways

  /// Where nobody has the port, the system says so at once.
  @Test func aServerWithoutItIsReachedByTCP() async throws {
    let nginx = try await NginxServer.shared
    let client = try await Self.session()
    let url = nginx.url("/small.txt", on: .https)
    let record = await client.load(Self.assuming(url))
    #expect(record.error == nil && record.body == DocumentRoot.small && Self.protocols(record).last == "h2")
  }

  @Test func droppedDatagramsCostATenthOfASecond() async throws {
    let caddy = try await CaddyServer.shared
    let relay = try DatagramRelay(to: nil)
    defer { relay.stop() }
    let events = EventRecorder()
    let client = try await Self.session(hasTime: false) { $0.sessionEventListener = events }
    var shortest = Duration.seconds(3600)
    for number in 0..<4 {
      try Self.announce(relay.port, of: caddy.url(), in: client)
      let start = MonotonicInstant.now
      let record = await client.load(caddy.url())
      let time = start.duration(to: .now)
      #expect(record.error == nil && record.body == DocumentRoot.small && Self.protocols(record).last == "h2")
      // The first may have been a slow network's; after the second it is known.
      #expect(await events.waitForEnd(of: number + 1))
      #expect(events.events(of: number + 1).contains("retry connection-lost") == (number < 2), "\(number)")
      if number < 2 {
        #expect(time >= .milliseconds(100) && relay.received > 0)
        shortest = min(shortest, time)
      }
    }
    // Alone it takes 0.11 s. The shorter one counts, since other tests run meanwhile.
    #expect(shortest < .milliseconds(Sanitizing.isOn ? 5000 : 1500), "\(shortest)")
  }

  @Test func manyAtOnceLoseOneHeadStart() async throws {
    let caddy = try await CaddyServer.shared
    let relay = try DatagramRelay(to: nil)
    defer { relay.stop() }
    let client = try await Self.session { $0[QUICSettings.self].headStart = .seconds(2) }
    try Self.announce(relay.port, of: caddy.url(), in: client)
    let start = MonotonicInstant.now
    let records = await withTaskGroup(of: LoadRecord.self) { group in
      for _ in 0..<200 { group.addTask { await client.load(caddy.url()) } }
      var records: [LoadRecord] = []
      for await record in group { records.append(record) }
      return records
    }
    #expect(records.allSatisfy { $0.error == nil && $0.body == DocumentRoot.small })
    // One after another they would take minutes.
    #expect(start.duration(to: .now) < .seconds(20))
  }

  @Test func aNameThatDoesNotExistIsNoReasonToFail() async throws {
    let caddy = try await CaddyServer.shared
    let client = try await Self.session()
    let origin = try #require(HTTPOrigin(caddy.url()))
    client.session.parts.policyStorage.recordAlternatives(
      "h3=\"nowhere.invalid:443\"", from: origin, isVerified: true, age: 0)
    let record = await client.load(caddy.url())
    #expect(record.error == nil && Self.protocols(record).last == "h2" && record.body == DocumentRoot.small)
  }

  @Test func uploadsGoByTheOtherWayWhole() async throws {
    let caddy = try await CaddyServer.start(directives: "respond /echo {http.request.body}")
    let relay = try DatagramRelay(to: nil)
    defer { relay.stop() }
    let body = Data((0..<300_000).map { UInt8(97 + $0 % 26) })
    let directory = try TemporaryDirectory("upload")
    let file = try directory.write("body", body)
    for kind in 0..<3 {
      let client = try await Self.session(hasTime: false)
      try Self.announce(relay.port, of: caddy.url(), in: client)
      var request = URLRequest(url: caddy.url("/echo"))
      request.httpMethod = "POST"
      if kind == 0 { request.httpBody = body }
      if kind == 1 { request.httpBodyStream = InputStream(data: body) }
      let record =
        kind == 2
        ? await client.run(client.session.uploadTask(with: request, fromFile: file)) : await client.load(request)
      #expect(record.error == nil && record.body == body && Self.protocols(record).last == "h2", "\(kind)")
      // The stream was not read before.
      #expect(record.streams == 0)
    }
    await caddy.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func aConnectionThatHasDiedIsLeft(_ method: String) async throws {
    let caddy = try await CaddyServer.start(directives: "respond /echo {http.request.body}")
    let relay = try DatagramRelay(to: caddy.securePort)
    defer { relay.stop() }
    let client = try await Self.session { $0.timeoutIntervalForRequest = 15 }
    try Self.announce(relay.port, of: caddy.url(), in: client)
    let first = await client.load(caddy.url())
    #expect(Self.protocols(first) == ["h3"])
    try await relay.waitForQuiet()
    relay.isDropping = true
    var request = URLRequest(url: caddy.url("/echo"))
    request.httpMethod = method
    request.httpBody = method == "POST" ? Data("a".utf8) : nil
    let start = MonotonicInstant.now
    let record = await client.load(request)
    let time = start.duration(to: .now)
    if method == "GET" {
      #expect(record.error == nil && Self.protocols(record).last == "h2" && time < .seconds(5), "\(time)")
    } else {
      // Nothing tells whether it was carried out.
      #expect(record.code == .networkConnectionLost && record.response == nil && time < .seconds(14), "\(time)")
    }
    relay.isDropping = false
    try Self.announce(relay.port, of: caddy.url(), in: client)
    let next = await client.load(caddy.url())
    #expect(next.error == nil && Self.protocols(next).last == "h3")
    // It has a connection of its own.
    let ports = [first, next].map { $0.metrics?.transactionMetrics.last?.localPort }
    #expect(ports[0] != ports[1])
    await caddy.stop()
  }

  @Test func aServerThatIsStartedAnewIsReachedWithinTwoSeconds() async throws {
    let caddy = try await CaddyServer.start()
    let client = try await Self.session()
    #expect(Self.protocols(await client.load(Self.assuming(caddy.url()))) == ["h3"])
    var shortest = Duration.seconds(3600)
    // Alone it takes 1.1 s. Of several times the shortest counts, since other tests run meanwhile.
    for _ in 0..<3 where shortest >= .seconds(2) {
      try await caddy.killAndRestart()
      let start = MonotonicInstant.now
      let record = await client.load(Self.assuming(caddy.url()))
      shortest = min(shortest, start.duration(to: .now))
      #expect(record.error == nil && record.body == DocumentRoot.small)
      let next = await client.load(Self.assuming(caddy.url()))
      #expect(next.error == nil && Self.protocols(next) == ["h3"])
    }
    #expect(shortest < .seconds(Sanitizing.isOn ? 6 : 2), "\(shortest)")
    await caddy.stop()
  }

  /// RFC 7838, section 2.2.
  @Test(
    .enabled("this machine lets nobody make a network of their own (unshare -rn)") { await PrivateNetwork.isAvailable })
  func aChangeOfTheNetworkForgets() async throws {
    let lines = try await PrivateNetwork.run("http3", environment: LoadedLibraries.environment)
    let announced = ["HTTP/2.0", "HTTP/3.0", "changed"]
    let broken = ["HTTP/2.0", "HTTP/2.0 after datagrams", "HTTP/2.0 after datagrams", "HTTP/2.0"]
    #expect(lines == announced + announced + broken + ["changed", "HTTP/2.0 after datagrams"])
  }

  @Test func aMisdirectedRequestGoesToTheOrigin() async throws {
    let other = try await CaddyServer.start(directives: "respond 421")
    let nginx = try await NginxServer.shared
    let client = try await Self.session()
    let url = nginx.url("/small.txt", on: .https)
    try Self.announce(other.securePort, of: url, in: client)
    let record = await client.load(url)
    #expect(record.status == 200 && Self.protocols(record).last == "h2" && record.body == DocumentRoot.small)
    #expect(try await eventually { other.log.contains("\"status\":421") })
    let origin = try #require(HTTPOrigin(url))
    #expect(client.session.parts.policyStorage.alternative(for: origin) == nil)
    await other.stop()
  }

  @Test func theOnlyWayIsNotLeft() async throws {
    let caddy = try await CaddyServer.shared
    let nginx = try await NginxServer.shared
    let client = try await Self.session { $0[QUICSettings.self].isOnlyWay = true }
    #expect(Self.protocols(await client.load(caddy.url())) == ["h3"])
    let refused = await client.load(nginx.url("/small.txt", on: .https))
    #expect(refused.response == nil && refused.code == .cannotConnectToHost)
    let plain = await client.load(caddy.url(secure: false))
    #expect(plain.response == nil && plain.code == .unsupportedURL)
  }
}

/// With a libcurl that has no HTTP/3 nothing of it shows.
@Suite(.timeLimit(.minutes(1)), .disabled(if: TransferLibrary.speaksHTTP3)) struct WithoutHTTP3Tests {
  @Test func requestsThatAssumeItGoByHTTP2() async throws {
    let url = try await CaddyServer.shared.url()
    let authority = try await TestCertificates.shared.authority
    let client = RecordedSession {
      $0.certificateAuthorityFile = authority
      $0.network.maximumHTTPVersion = .http3
      $0.urlCache = nil
    }
    var request = URLRequest(url: url)
    request.assumesHTTP3Capable = true
    for _ in 0..<2 {
      let record = await client.load(request)
      #expect(record.metrics?.transactionMetrics.map(\.networkProtocolName) == ["h2"])
      #expect(record.body == DocumentRoot.small && record.error == nil)
    }
  }

  @Test func theOnlyWayIsRefusedWithAReason() async throws {
    let client = RecordedSession {
      $0[QUICSettings.self].isOnlyWay = true
    }
    let record = await client.load(try await CaddyServer.shared.url())
    #expect(record.code == .resourceUnavailable)
    #expect(record.error?.localizedDescription.contains("HTTP/3 needs a libcurl that has it") == true)
  }
}
