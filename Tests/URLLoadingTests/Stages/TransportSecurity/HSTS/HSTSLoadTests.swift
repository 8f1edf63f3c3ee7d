import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads from hosts that want secure connections alone: a server that speaks TLS on the port which the URL of `http` names, and answers
/// 400 to who speaks without.
@Suite(.timeLimit(.minutes(4))) struct HSTSLoadTests {
  private static let server = LazyServer {
    try await NginxServer.start(
      locations: """
        location = /hsts { add_header Strict-Transport-Security 'max-age=1000; includeSubDomains'; return 200 'noted'; }
        location = /short { add_header Strict-Transport-Security 'max-age=1'; return 200 'noted'; }
        location = /end { add_header Strict-Transport-Security 'max-age=0'; return 200 'ended'; }
        location = /two {
          add_header Strict-Transport-Security 'max-age=x';
          add_header Strict-Transport-Security 'max-age=1000';
          return 200 'ignored';
        }
        location = /refused { add_header Strict-Transport-Security 'max-age=1000' always; return 404 'noted'; }
        location = /secret { add_header Set-Cookie 'secret=1; Secure; SameSite=Strict; Path=/'; return 200 'set'; }
        """)
  }

  private let nginx: NginxServer
  private let authority: URL

  init() async throws {
    nginx = try await Self.server.server
    authority = try await TestCertificates.shared.authority
  }

  private func client(_ configure: (URLSessionConfiguration) -> Void = { _ in }) -> RecordedSession {
    RecordedSession {
      $0.certificateAuthorityFile = authority
      configure($0)
    }
  }

  private func secure(_ path: String, host: String = "localhost") -> URL { nginx.url(path, on: .https, host: host) }

  /// The same port without TLS.
  private func plain(_ path: String = "/echo", host: String = "localhost") -> URL {
    URL(string: "http://\(host):\(nginx.port(.https))\(path)") ?? URL(fileURLWithPath: path)
  }

  // MARK: Upgrades

  @Test(arguments: TaskKind.allCases) func aKnownHostIsReachedSecurely(_ kind: TaskKind) async throws {
    let client = client()
    let url = plain()
    #expect(await client.load(url).status == 400)
    #expect(await client.load(secure("/hsts")).text == "noted")
    let record = await client.load(url, by: kind)
    #expect(record.status == 200 && record.response?.url == secure("/echo"), "\(String(describing: record.error))")
    #expect(record.text.contains("target: /echo\n"))
  }

  @Test func theUpgradeIsATransactionAndNoRedirectOfTheDelegate() async throws {
    let client = client()
    _ = await client.load(secure("/hsts"))
    let task = client.session.dataTask(with: plain())
    let record = await client.run(task)
    #expect(task.originalRequest?.url == plain() && task.currentRequest?.url == secure("/echo"))
    #expect(record.redirects.isEmpty)
    let metrics = try #require(record.metrics)
    #expect(metrics.redirectCount == 0)
    #expect(metrics.transactionMetrics.map { $0.request.url } == [plain(), secure("/echo")])
    #expect(metrics.transactionMetrics.map(\.resourceFetchType) == [.localCache, .networkLoad])
    let answers = metrics.transactionMetrics.map { $0.response as? HTTPURLResponse }
    #expect(answers.map { $0?.statusCode } == [307, 200])
    #expect(answers.first??.value(forHTTPHeaderField: "Non-Authoritative-Reason") == "HSTS")
    let dates = metrics.transactionMetrics.flatMap { [$0.fetchStartDate, $0.responseEndDate] }.compactMap { $0 }
    #expect(dates.count == 4 && dates == dates.sorted())
  }

  @Test func theListenerHearsOfIt() async throws {
    let recorder = EventRecorder()
    let client = client { $0.sessionEventListener = recorder }
    _ = await client.load(secure("/hsts"))
    _ = await client.load(plain())
    #expect(await recorder.waitForEnd(of: 2))
    let steps = recorder.steps(of: 2)
    #expect(steps.filter { $0.hasPrefix("choose") }.count == 2, "\(steps)")
    #expect(steps.filter { $0.hasPrefix("redirect") }.count == 1, "\(steps)")
    #expect(steps.filter { $0.hasPrefix("finish") }.count == 2, "\(steps)")
  }

  /// What the response of a direct load says is recorded, and changes nothing for that load.
  @Test func directLoadsAreHeard() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.certificateAuthorityFile = authority
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration[DirectLaneSettings.self].isOpen = true
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    for _ in 0..<2 {
      let isDone = AsyncEvent()
      let task = session.dataTask(with: secure("/hsts")) { data, _, _ in
        if data == Data("noted".utf8) { isDone.signal() }
      }
      task.resume()
      #expect(await isDone.wait())
      #expect(task.load.isDirect)
    }
    #expect(try await session.data(from: plain()).1.url == secure("/echo"))
    _ = try await session.data(from: secure("/end"))
    // Its status is not compared: libcurl 8.14 sends this over the connection with TLS that is open.
    #expect(try await session.data(from: plain()).1.url == plain())
    _ = try await session.data(from: nginx.url("/hsts"))
    #expect(!session.parts.policyStorage.hasTransportPolicies)
  }

  @Test func methodAndBodyStay() async throws {
    let client = client()
    _ = await client.load(secure("/hsts"))
    var request = URLRequest(url: plain())
    request.httpMethod = "POST"
    request.httpBody = Data("four".utf8)
    let record = await client.load(request)
    #expect(record.text.contains("method: POST\n") && record.text.contains("content-length: 4\n"), "\(record.text)")
    request = URLRequest(url: plain("/upload/hsts"))
    request.httpMethod = "PUT"
    let stream = try await client.upload(Data(count: 1000), to: request, by: .stream)
    #expect(stream.status == 201 && stream.response?.url?.scheme == "https", "\(String(describing: stream.error))")
  }

  @Test func cookiesAreThoseOfTheSecureURL() async throws {
    let client = client()
    for path in ["/hsts", "/secret"] { _ = await client.load(secure(path)) }
    var request = URLRequest(url: plain("/cookies/echo"))
    #expect(await client.load(request).text == "secret=1")
    // The document is reached securely as well, so that it is of the same site.
    request.mainDocumentURL = plain("/")
    #expect(await client.load(request).text == "secret=1")
  }

  @Test func theTargetOfARedirectIsUpgraded() async throws {
    let client = client()
    _ = await client.load(secure("/hsts"))
    let record = await client.load(secure("/redirect/302?to=\(plain().absoluteString)"))
    #expect(record.status == 200 && record.response?.url == secure("/echo"))
    // The delegate is asked about the redirect that the server sent, and about no other.
    #expect(record.redirects.map { $0.request.url } == [plain()])
    let statuses = record.metrics?.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode }
    #expect(statuses == [302, 307, 200] && record.metrics?.redirectCount == 1)
  }

  @Test func aRedirectMayNoteTheHost() async throws {
    let client = client()
    let other = try await NginxServer.start(
      directives: "add_header Strict-Transport-Security 'max-age=1000' always;")
    let port = other.port(.https)
    let target = try #require(URL(string: "http://localhost:\(port)/echo"))
    let url = other.url("/redirect/302?to=\(target.absoluteString)", on: .https, host: "localhost")
    let record = await client.load(url)
    #expect(record.status == 200 && record.response?.url?.scheme == "https")
    await other.stop()
  }

  /// The certificate is for `localhost` alone.
  @Test func hostsBelowAreUpgraded() async throws {
    let client = client()
    _ = await client.load(secure("/hsts"))
    let record = await client.load(plain(host: "below.localhost"))
    #expect(record.code == .serverCertificateUntrusted, "\(String(describing: record.error))")
    #expect(record.metrics?.transactionMetrics.count == 2)
  }

  // MARK: What is not noted

  @Test func aFieldOverPlainHTTPIsForged() async throws {
    let server = try ScriptedServer.http { _ in
      HTTPResponse(fields: ["Strict-Transport-Security": "max-age=1000; includeSubDomains"], text: "ok")
    }
    let url = try #require(URL(string: "http://localhost:\(server.port)/"))
    let client = client()
    for _ in 0..<2 {
      let record = await client.load(url)
      #expect(record.text == "ok" && record.metrics?.transactionMetrics.count == 1)
    }
    // Nor does it end what is known.
    _ = await client.load(secure("/hsts"))
    #expect(client.session.parts.policyStorage.requiresSecureTransport(to: "localhost"))
  }

  @Test func anAddressIsNeverUpgraded() async throws {
    let client = client()
    #expect(await client.load(secure("/hsts", host: "127.0.0.1")).text == "noted")
    #expect(await client.load(plain(host: "127.0.0.1")).status == 400)
    #expect(!client.session.parts.policyStorage.hasTransportPolicies)
  }

  @Test func ofSeveralFieldsTheFirstCounts() async throws {
    let client = client()
    #expect(await client.load(secure("/two")).text == "ignored")
    #expect(await client.load(plain()).status == 400)
  }

  @Test func anyStatusCounts() async throws {
    let client = client()
    #expect(await client.load(secure("/refused")).status == 404)
    #expect(await client.load(plain()).status == 200)
  }

  @Test func aClassOfTheProgramsOwnIsLeftAlone() async throws {
    let client = client { $0.protocolClasses = [PlainOnly.self] }
    _ = await client.load(secure("/hsts"))
    #expect(client.session.parts.policyStorage.requiresSecureTransport(to: "localhost"))
    let record = await client.load(plain("/own"))
    #expect(record.text == "own" && record.response?.url == plain("/own"))
    #expect(record.metrics?.transactionMetrics.count == 1)
  }

  // MARK: How long it holds

  @Test func aPolicyEndsWhereTheHostSaysSo() async throws {
    let client = client()
    for (path, status) in [("/hsts", 200), ("/end", 400)] {
      _ = await client.load(secure(path))
      #expect(await client.load(plain()).status == status, "\(path)")
    }
  }

  @Test func aPolicyExpires() async throws {
    let client = client()
    _ = await client.load(secure("/short"))
    #expect(try await eventually(timeout: .seconds(20)) { await client.load(plain()).status == 400 })
  }

  @Test func withoutCookiesTheSessionKeepsIt() async throws {
    let (client, other) = (client { $0.httpCookieStorage = nil }, client { $0.httpCookieStorage = nil })
    _ = await client.load(secure("/hsts"))
    #expect(await client.load(plain()).status == 200)
    #expect(await other.load(plain()).status == 400)
  }

  @Test func resettingForgetsAndRemovingCookiesDoesNot() async throws {
    let client = client()
    _ = await client.load(secure("/hsts"))
    client.session.configuration.httpCookieStorage?.removeCookies(since: .distantPast)
    #expect(await client.load(plain()).status == 200)
    await client.session.reset()
    #expect(await client.load(plain()).status == 400)
  }

  // MARK: Processes

  @Test func anotherProcessKnowsIt() async throws {
    let directory = try TemporaryDirectory("hsts")
    let workers = try ["first", "second"].map { name in
      try DownloadWorker(
        ["hsts", plain().absoluteString, secure("/hsts").absoluteString, authority.path, name],
        in: directory, environment: ["XDG_DATA_HOME": directory.file("data").path])
    }
    // Both begin without; one is told to note it, and the other one finds it in the file that both use.
    for worker in workers {
      #expect(try await eventually { worker.lines.contains("http 400") }, "\(worker.lines)")
    }
    try directory.write("first", "")
    for worker in workers {
      #expect(try await eventually { worker.lines.contains("https 200") }, "\(worker.lines)")
    }
    // So does one that begins later, when the others have been killed.
    for worker in workers {
      worker.process.send(signal: SIGKILL)
      _ = await worker.process.waitForExit()
    }
    let last = try DownloadWorker(
      ["hsts", plain().absoluteString, secure("/hsts").absoluteString, authority.path, "third"], in: directory,
      environment: ["XDG_DATA_HOME": directory.file("data").path])
    #expect(try await eventually { !last.lines.isEmpty } && last.lines.first == "https 200", "\(last.lines)")
    last.process.send(signal: SIGKILL)
    _ = await last.process.waitForExit()
  }
}

/// Stands for the path `/own` of `http`, and loads nothing.
private final class PlainOnly: AsyncURLProtocol, @unchecked Sendable {
  override class func canInit(with request: URLRequest) -> Bool {
    request.url?.scheme == "http" && request.url?.path == "/own"
  }

  override func load(_ request: URLRequest, to writer: Writer) async throws {
    try await writer.respond(mimeType: "text/plain")
    try await writer.write(Data("own".utf8))
  }
}
