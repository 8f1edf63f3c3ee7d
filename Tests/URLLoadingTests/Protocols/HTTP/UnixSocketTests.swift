import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// HTTP to servers at Unix sockets.
@Suite(.timeLimit(.minutes(4))) struct UnixSocketTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("socket") }

  private func path(_ name: String = "s") -> String { folder.file(name).path }

  private func url(_ target: String = "/", socket name: String = "s", scheme: String = "http") throws -> URL {
    try #require(URL(unixSocket: path(name), target: target, scheme: scheme))
  }

  // MARK: Loads

  @Test(arguments: LoadKind.allCases) func aLoad(_ kind: LoadKind) async throws {
    let server = try ScriptedServer.http(socket: path()) { request in
      HTTPResponse(text: "\(request.target) \(request.fields["Host"] ?? "")")
    }
    // A proxy of the session is none of these loads'.
    let client = RecordedSession {
      $0.connectionProxyDictionary = ["SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": 9]
    }
    let url = try self.url("/containers/json?all=1")
    let record = await client.load(url, as: kind)
    #expect(record.text == "/containers/json?all=1 localhost", "\(String(describing: record.error))")
    #expect(record.response?.url == url && record.status == 200)
    #expect(server.requests.count == 1)
  }

  @Test func theRequestsOwnHost() async throws {
    try await withServer({ HTTPResponse(text: $0.fields["Host"] ?? "none") }) { session in
      var request = URLRequest(url: try url())
      request.setValue("docker", forHTTPHeaderField: "Host")
      #expect(try await session.data(for: request).0 == Data("docker".utf8))
    }
  }

  @discardableResult private func withServer(
    _ handler: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse, _ body: (URLSession) async throws -> Void
  ) async throws -> ScriptedServer {
    let server = try ScriptedServer.http(socket: path(), handler)
    let client = RecordedSession()
    try await body(client.session)
    return server
  }

  @Test func connectionsAreUsedAgainAndNotByOtherSockets() async throws {
    let first = try ScriptedServer.http(socket: path("a")) { _ in HTTPResponse(text: "a") }
    let second = try ScriptedServer.http(socket: path("b")) { _ in HTTPResponse(text: "b") }
    let client = RecordedSession()
    for _ in 0..<5 {
      for name in ["a", "b"] {
        let record = await client.load(try url("/x", socket: name))
        #expect(record.text == name)
      }
    }
    #expect(first.connectionCount == 1 && second.connectionCount == 1)
    #expect(first.requests.count == 5 && second.requests.count == 5)
  }

  /// To the kernel two spellings of a letter are two files, which strings take for the same.
  @Test func twoSpellingsOfALetterAreTwoSockets() async throws {
    let names = ["\u{E9}", "e\u{301}"]
    let first = try ScriptedServer.http(socket: path(names[0])) { _ in HTTPResponse(text: "0") }
    let second = try ScriptedServer.http(socket: path(names[1])) { _ in HTTPResponse(text: "1") }
    let client = RecordedSession()
    for _ in 0..<3 {
      for (number, name) in names.enumerated() {
        let record = await client.load(try url("/x", socket: name))
        #expect(record.text == "\(number)", "\(String(describing: record.error))")
      }
    }
    #expect(first.requests.count == 3 && second.requests.count == 3)
  }

  @Test func bodiesGoThere() async throws {
    let body = TestFiles.pattern(count: 3_000_000)
    let server = try await withServer({ HTTPResponse(body: $0.body) }) { session in
      var request = URLRequest(url: try url("/images/create"))
      request.httpMethod = "POST"
      let (data, _) = try await session.upload(for: request, from: body)
      let isSame = data == body
      #expect(isSame)
    }
    #expect(server.requests.first?.method == "POST")
  }

  @Test func aHundredAtOnce() async throws {
    let server = try await withServer({ HTTPResponse(text: $0.target) }) { session in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<100 {
          let url = try self.url("/\(number)")
          group.addTask { try await session.data(from: url).0 == Data("/\(number)".utf8) }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
    #expect(server.requests.count == 100 && server.connectionCount <= 6)
  }

  /// Each has sessions of its own, and so do the connections.
  @Test func aHundredConnectionsAtOnce() async throws {
    let server = try ScriptedServer.http(socket: path()) { HTTPResponse(text: $0.target) }
    let sessions = (0..<100).map { _ in RecordedSession() }
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for (number, client) in sessions.enumerated() {
        let url = try self.url("/\(number)")
        group.addTask { try await client.session.data(from: url).0 == Data("/\(number)".utf8) }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(server.connectionCount == 100)
  }

  @Test func metricsHaveNoAddress() async throws {
    let server = try ScriptedServer.http(socket: path()) { _ in HTTPResponse(text: "x") }
    let client = RecordedSession()
    let record = await client.load(try url())
    let transaction = try #require(record.metrics?.transactionMetrics.last)
    #expect(transaction.remoteAddress == nil && transaction.localAddress == nil)
    #expect(transaction.remotePort == nil && transaction.localPort == nil)
    #expect(transaction.networkProtocolName == "http/1.1" && !transaction.isProxyConnection)
    #expect(server.connectionCount == 1)
  }

  @Test func aLoginAnswersAChallenge() async throws {
    let server = try ScriptedServer.http(socket: path()) { request in
      request.fields["Authorization"] == "Basic dXNlcjpwYXNz"
        ? HTTPResponse(text: "in") : HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "out")
    }
    let text = try url("/x").absoluteString.replacingOccurrences(of: "//%2F", with: "//user:pass@%2F")
    let record = await RecordedSession().load(try #require(URL(string: text)))
    #expect(record.text == "in", "\(String(describing: record.error))")
    #expect(server.connectionCount == 1)
  }

  @Test func cookiesAreNeitherStoredNorSent() async throws {
    let server = try ScriptedServer.http(socket: path()) { request in
      HTTPResponse(fields: ["Set-Cookie": "a=b; Path=/"], text: request.fields["Cookie"] ?? "none")
    }
    let storage = HTTPCookieStorage()
    let client = RecordedSession { $0.httpCookieStorage = storage }
    for _ in 0..<2 { #expect(await client.load(try url()).text == "none") }
    #expect(storage.cookies?.isEmpty != false)
    #expect(server.requests.count == 2)
  }

  @Test func responsesAreStored() async throws {
    let server = try ScriptedServer.http(socket: path()) { _ in
      HTTPResponse(fields: ["Cache-Control": "max-age=100", "Date": Self.date], text: "x")
    }
    let client = RecordedSession { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    for _ in 0..<2 { #expect(await client.load(try url("/cached")).text == "x") }
    #expect(server.requests.count == 1)
    #expect(await client.load(try url("/cached?other")).text == "x")
    #expect(server.requests.count == 2)
  }

  private static var date: String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: Date())
  }

  // MARK: Redirects

  @Test func redirectsLeadToTheSameSocket() async throws {
    let server = try ScriptedServer.http(socket: path()) { request in
      switch request.path {
      case "/a": .redirect(to: "/b")
      case "/b": .redirect(to: "http://localhost/c")
      case "/c": .redirect(307, to: request.query["to"] ?? "d")
      default: HTTPResponse(text: "there")
      }
    }
    let last = try url("/d")
    let record = await RecordedSession().load(try url("/a"))
    #expect(record.text == "there" && record.response?.url == last, "\(String(describing: record.error))")
    #expect(server.requests.map(\.path) == ["/a", "/b", "/c", "/d"])
  }

  @Test func redirectsLeadNowhereElse() async throws {
    let other = try ScriptedServer.http(socket: path("other")) { _ in HTTPResponse(text: "other") }
    let tcp = try ScriptedServer.http { _ in HTTPResponse(text: "tcp") }
    let file = try folder.write("file", "secret")
    let targets = [
      other.url("/").absoluteString, tcp.url("/").absoluteString, "http://localhost:\(tcp.port)/",
      "file://\(file.path)",
      "http+unix:///x", "//example.org/", "data:,x",
    ]
    for target in targets {
      let name = "s\(target.hashValue)"
      let server = try ScriptedServer.http(socket: path(name)) { _ in .redirect(to: target) }
      let record = await RecordedSession().load(try url("/x", socket: name))
      #expect(record.code == .unsupportedURL && record.body.isEmpty, "\(target): \(String(describing: record.error))")
      let words = record.error?.localizedDescription ?? ""
      #expect(words.contains("leads to the same socket alone"), "\(target): \(words)")
      #expect(server.requests.count == 1)
    }
    #expect(other.requests.isEmpty && tcp.requests.isEmpty)
  }

  @Test func noRedirectLeadsHereFromElsewhere() async throws {
    let local = try ScriptedServer.http(socket: path()) { _ in HTTPResponse(text: "local") }
    let target = local.url("/x").absoluteString
    let server = try ScriptedServer.http { _ in .redirect(to: target) }
    let record = await RecordedSession().load(server.url())
    #expect(record.code == .unsupportedURL, "\(String(describing: record.error))")
    #expect(record.error?.localizedDescription.contains("takes no redirects from others") == true)
    #expect(local.requests.isEmpty)
  }

  // MARK: Failures

  private func failure(_ url: URL) async throws -> URLError {
    let record = await RecordedSession().load(url)
    return try #require(record.error as? URLError)
  }

  @Test func errorsNameThePath() async throws {
    let none = try await failure(try url())
    #expect(none.code == .cannotConnectToHost && none.localizedDescription.contains("no Unix socket at \(path())"))
    #expect((none.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code == .ENOENT)
    let file = try folder.write("file", "x")
    let wrong = try await failure(try url(socket: "file"))
    #expect(wrong.code == .cannotConnectToHost && wrong.localizedDescription.contains("\(file.path) is no Unix socket"))
    let directory = try await failure(try #require(URL(unixSocket: folder.path)))
    #expect(directory.localizedDescription.contains("\(folder.path) is no Unix socket"), "\(directory)")
    let gone = try ScriptedServer.http(socket: path("gone")) { _ in HTTPResponse(text: "x") }
    await gone.stop()
    let refused = try await failure(try url(socket: "gone"))
    #expect(refused.code == .cannotConnectToHost, "\(refused)")
    #expect(refused.localizedDescription.contains("nobody accepts connections at the Unix socket \(path("gone"))"))
  }

  @Test func aQueueThatIsFull() async throws {
    // One waits to be accepted, and one beside it: Linux counts so.
    let socket = try ListeningSocket(path: path(), backlog: 0)
    defer { socket.close() }
    let sessions = (0..<4).map { _ in RecordedSession() }
    let url = try self.url()
    let errors = Watched<[URLError]>([])
    let tasks = sessions.map { client in
      Task {
        do { _ = try await client.session.data(from: url) } catch let error as URLError {
          if error.code != .cancelled { errors.update { $0.append(error) } }
        }
      }
    }
    #expect(await errors.wait(timeout: .seconds(20)) { $0.count >= 2 })
    for error in errors.value {
      #expect(error.code == .cannotConnectToHost, "\(error)")
      #expect(error.localizedDescription.contains("has as many connections waiting as it allows"), "\(error)")
    }
    for task in tasks { task.cancel() }
  }

  @Test func pathsThatNoSocketHas() async throws {
    let long = "/" + String(repeating: "x", count: 107)
    let tooLong = try await failure(try #require(URL(unixSocket: long)))
    #expect(tooLong.code == .badURL && tooLong.localizedDescription.contains("has 108 bytes, and may have 107"))
    let longest = try await failure(try #require(URL(unixSocket: String(long.dropLast()))))
    #expect(longest.code == .cannotConnectToHost, "\(longest)")
    let empty = try await failure(try #require(URL(string: "http+unix:///run/docker.sock")))
    #expect(empty.code == .badURL && empty.localizedDescription.contains("names no Unix socket"), "\(empty)")
    let port = try await failure(try #require(URL(string: "http+unix://%2Ftmp%2Fx:80/")))
    #expect(port.code == .badURL && port.localizedDescription.contains("has no port"), "\(port)")
    if let url = URL(string: "http+unix://%2Ftmp%2Fx%00y/") {
      let nul = try await failure(url)
      #expect(nul.code == .badURL && nul.localizedDescription.contains("NUL"), "\(nul)")
    }
    if let url = URL(string: "http+unix://relative/") {
      let relative = try await failure(url)
      #expect(relative.code == .badURL && relative.localizedDescription.contains("begins with a slash"), "\(relative)")
    }
  }

  @Test(arguments: LoadKind.allCases) func aPeerThatClosesInTheMiddleOfABody(_ kind: LoadKind) async throws {
    let server = try ScriptedServer(socket: path()) { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    }
    let record = await RecordedSession().load(try url(), as: kind)
    #expect(record.code == .networkConnectionLost, "\(String(describing: record.error))")
    #expect(server.connectionCount == 1)
  }

  @Test(arguments: LoadKind.allCases) func aPeerThatClosesBeforeItAnswers(_ kind: LoadKind) async throws {
    let server = try ScriptedServer(socket: path()) { _ = try $0.readRequestHead() }
    let record = await RecordedSession().load(try url(), as: kind)
    #expect(record.code == .networkConnectionLost, "\(String(describing: record.error))")
    #expect(server.connectionCount >= 1)
  }

  @Test(arguments: LoadKind.allCases) func garbage(_ kind: LoadKind) async throws {
    let server = try ScriptedServer(socket: path()) { connection in
      _ = try connection.readRequestHead()
      try connection.send("\u{1}\u{2}garbage\r\n\r\n")
    }
    let record = await RecordedSession().load(try url(), as: kind)
    #expect(record.code == .cannotParseResponse, "\(String(describing: record.error))")
    #expect(server.connectionCount == 1)
  }

  @Test func aKeptConnectionThatIsGoneIsReplaced() async throws {
    let server = try ScriptedServer(socket: path()) { connection in
      guard try connection.readRequest() != nil else { return }
      try connection.send(HTTPResponse(text: "first"))
      _ = try connection.readRequestHead()
    }
    let client = RecordedSession()
    for method in ["GET", "GET", "GET", "POST"] {
      var request = URLRequest(url: try url())
      request.httpMethod = method
      let record = await client.load(request)
      // What was sent on a connection that ended then is not sent twice where that may do harm.
      #expect(record.text == "first" || method == "POST" && record.code == .networkConnectionLost)
    }
    #expect(server.connectionCount == 3)
  }

  @Test func aCancelledLoadEndsItsConnection() async throws {
    let server = try ScriptedServer(socket: path()) { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(30))
    }
    let client = RecordedSession()
    let task = client.session.dataTask(with: try url())
    task.resume()
    #expect(await server.waitForRequests(1))
    task.cancel()
    #expect(await server.waitForIdle())
  }

  // MARK: The setting

  @Test func aSessionOfOneSocket() async throws {
    let server = try ScriptedServer.http(socket: path()) { request in
      let fields = [request.fields["Host"], request.fields["Cookie"]].map { $0 ?? "" }
      return request.path == "/elsewhere"
        ? .redirect(to: "http://other.invalid/there")
        : HTTPResponse(fields: ["Set-Cookie": "a=b"], text: fields.joined(separator: " "))
    }
    let other = try ScriptedServer.http(socket: path("other")) { _ in HTTPResponse(text: "other") }
    let storage = HTTPCookieStorage()
    let client = RecordedSession {
      $0.connectionProxyDictionary = ["HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": 9]
      $0.network.unixSocketPath = path()
      $0.httpCookieStorage = storage
    }
    for kind in LoadKind.allCases {
      let record = await client.load(try #require(URL(string: "http://named.invalid:8080/x")), as: kind)
      #expect(record.text.hasPrefix("named.invalid:8080 "), "\(kind): \(String(describing: record.error))")
    }
    // They are the host's, as ever.
    #expect(storage.cookies?.map(\.domain) == ["named.invalid"])
    let redirected = await client.load(try #require(URL(string: "http://named.invalid/elsewhere")))
    #expect(redirected.text.hasPrefix("other.invalid"), "\(String(describing: redirected.error))")
    // A URL with a socket of its own goes to that.
    #expect(await client.load(other.url()).text == "other")
    #expect(server.requests.count == 5)
  }

  @Test(arguments: LoadKind.allCases) func aSessionOfNoSocket(_ kind: LoadKind) async throws {
    for (path, code, words) in [
      ("", URLError.Code.badURL, "is empty"), ("relative", .badURL, "begins with a slash"),
      (path("none"), .cannotConnectToHost, "no Unix socket at"),
    ] {
      let client = RecordedSession { $0.network.unixSocketPath = path }
      for _ in 0..<2 {
        let record = await client.load(try #require(URL(string: "http://named.invalid/")), as: kind)
        #expect(record.code == code && record.error?.localizedDescription.contains(words) == true, "\(path)")
      }
    }
  }

  @Test func sessionsGoDirectly() async throws {
    let server = try ScriptedServer.http(socket: path()) { HTTPResponse(text: $0.fields["Host"] ?? "") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.connectionProxyDictionary = [:]
    configuration.network.unixSocketPath = path()
    configuration.network.addressFamily = .ipv6
    let session = URLSession(configuration: configuration)
    let url = try #require(URL(string: "http://named.invalid/"))
    for _ in 0..<3 { #expect(try await session.data(from: url).0 == Data("named.invalid".utf8)) }
    #expect(server.connectionCount == 1)
    session.invalidateAndCancel()
  }

  // MARK: TLS and WebSockets

  @Test func tlsForLocalhost() async throws {
    let socket = path("tls")
    let nginx = try await Self.nginx(plain: path("plain"), tls: socket)
    let authority = try await TestCertificates.shared.authority
    let client = RecordedSession { $0.certificateAuthorityFile = authority }
    for kind in LoadKind.allCases {
      let record = await client.load(try url("/echo", socket: "tls", scheme: "https"), as: kind)
      #expect(
        record.text.contains("protocol: HTTP/1.1") && record.text.contains("host: localhost\n"),
        "\(String(describing: record.error)) \(record.text)")
      #expect(await client.load(try url("/status/418", socket: "plain"), as: kind).status == 418)
    }
    let untrusted = await RecordedSession().load(try url("/echo", socket: "tls", scheme: "https"))
    #expect(untrusted.code == .serverCertificateUntrusted, "\(String(describing: untrusted.error))")
    // A hundred at once, and a delegate that is asked.
    let asked = Watched(0)
    let delegate = TrustAnswer(asked)
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        let url = try self.url("/echo?\(number)", socket: "tls", scheme: "https")
        group.addTask {
          String(decoding: try await session.data(from: url).0, as: UTF8.self).contains("target: /echo?\(number)\n")
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(asked.value >= 1)
    session.invalidateAndCancel()
    await nginx.stop()
  }

  /// Accepts servers named localhost.
  private final class TrustAnswer: NSObject, URLSessionDelegate {
    private let asked: Watched<Int>

    init(_ asked: Watched<Int>) { self.asked = asked }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      asked.update { $0 += 1 }
      let space = challenge.protectionSpace
      guard space.host == "localhost", space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
        let trust = space.serverTrust
      else { return completionHandler(.cancelAuthenticationChallenge, nil) }
      completionHandler(.useCredential, URLCredential(trust: trust))
    }
  }

  private static func nginx(plain: String, tls: String) async throws -> NginxServer {
    let identity = try await TestCertificates.shared.server
    let nginx = try await NginxServer.start(
      largeSize: 5_000_000,
      directives: """
        server { listen unix:\(plain); include locations.conf; }
        server {
          listen unix:\(tls) ssl http2;
          ssl_certificate \(identity.certificate.path);
          ssl_certificate_key \(identity.key.path);
          include locations.conf;
        }
        """)
    return nginx
  }

  @Test(arguments: LoadKind.allCases) func nginxServesFiles(_ kind: LoadKind) async throws {
    let nginx = try await Self.nginx(plain: path(), tls: path("tls"))
    let client = RecordedSession()
    #expect(await client.load(try url("/small.txt"), as: kind).body == DocumentRoot.small)
    let large = await client.load(try url("/large.bin"), as: kind)
    #expect(large.body.count == 5_000_000 && large.error == nil)
    let redirected = await client.load(try url("/redirect/absolute"), as: kind)
    #expect(redirected.body == DocumentRoot.small, "\(String(describing: redirected.error))")
    let session = client.session
    for count in [1, 1_000_000] {
      var request = URLRequest(url: try url("/upload/\(kind)-\(count)"))
      request.httpMethod = "PUT"
      let body = TestFiles.pattern(count: count)
      _ = try await session.upload(for: request, from: body)
      let stored = await client.load(request.url ?? nginx.url()).body == body
      #expect(stored)
    }
    await nginx.stop()
  }

  @Test(arguments: ["ws", "wss"]) func webSockets(_ scheme: String) async throws {
    let server = try await WebSocketServer.start()
    let port = server.port
    let relay = try ScriptedServer(socket: path()) { try $0.relay(to: port) }
    var front: NginxServer?
    if scheme == "wss" {
      let identity = try await TestCertificates.shared.server
      front = try await NginxServer.start(
        largeSize: 0,
        directives: """
          server {
            listen unix:\(path("tls")) ssl;
            ssl_certificate \(identity.certificate.path);
            ssl_certificate_key \(identity.key.path);
            location / {
              proxy_pass http://unix:\(path());
              proxy_http_version 1.1;
              proxy_set_header Upgrade $http_upgrade;
              proxy_set_header Connection upgrade;
            }
          }
          """)
    }
    let authority = try await TestCertificates.shared.authority
    let client = RecordedSession { $0.certificateAuthorityFile = authority }
    let url = try self.url("/echo", socket: scheme == "ws" ? "s" : "tls", scheme: scheme)
    let task = client.session.webSocketTask(with: url)
    task.resume()
    for text in ["first", String(repeating: "x", count: 100_000)] {
      try await task.send(.string(text))
      guard case .string(let answer) = try await task.receive() else {
        Issue.record("no text")
        continue
      }
      #expect(answer == text)
    }
    task.cancel(with: .goingAway, reason: nil)
    // Errors name the URL of the task.
    let missing = client.session.webSocketTask(with: try self.url("/echo", socket: "none", scheme: scheme))
    missing.resume()
    let error = await #expect(throws: URLError.self) { _ = try await missing.receive() }
    #expect(error?.failingURL?.scheme == "\(scheme)+unix" && error?.code == .cannotConnectToHost)
    #expect(relay.connectionCount >= 1)
    await front?.stop()
    await server.stop()
  }
}
