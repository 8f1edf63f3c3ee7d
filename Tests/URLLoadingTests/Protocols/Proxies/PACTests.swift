import Foundation
import Testing
import URLLoadingCurlTransport
import URLLoadingTestServers

@testable import URLLoading

/// Proxies by script, with real proxies.
@Suite(.timeLimit(.minutes(4))) struct PACTests {
  private static func session(
    _ proxies: [AnyHashable: Any], recorder: LoadRecorder = LoadRecorder(),
    _ change: (inout ProxyTools) -> Void = { _ in }
  ) async throws -> RecordedSession {
    let authority = try await TestCertificates.shared.authority
    return RecordedSession(recorder) {
      $0.connectionProxyDictionary = proxies
      $0.certificateAuthorityFile = authority
      var tools = Self.tools
      change(&tools)
      $0[ProxyTools.self] = tools
    }
  }

  private static var tools: ProxyTools {
    var tools = ProxyTools()
    tools.findHelper = { BuiltProgram.path("urlload-pac") }
    return tools
  }

  private static func script(_ result: String) -> String {
    "function FindProxyForURL(url, host) { return '\(result)'; }"
  }

  private static func inline(_ result: String) -> [AnyHashable: Any] {
    [kCFNetworkProxiesProxyAutoConfigEnable: 1, kCFNetworkProxiesProxyAutoConfigJavaScript: script(result)]
  }

  private func words(_ record: LoadRecord) -> String { record.error?.localizedDescription ?? "no error" }

  @Test(arguments: LoadKind.allCases)
  func aScriptChoosesAProxy(_ kind: LoadKind) async throws {
    let squid = try await SquidServer.shared
    let url = try await NginxServer.shared.url("/small.txt?script-\(kind)")
    let record = await (try await Self.session(Self.inline("PROXY 127.0.0.1:\(squid.port)"))).load(url, as: kind)
    #expect(record.body == DocumentRoot.small, "\(words(record))")
    #expect(await squid.waitForRequest("GET \(url.absoluteString) 200"))
  }

  @Test func aTunnel() async throws {
    let squid = try await SquidServer.start()
    let nginx = try await NginxServer.shared
    let client = try await Self.session(Self.inline("PROXY 127.0.0.1:\(squid.port)"))
    #expect(await client.load(nginx.url(on: .https)).body == DocumentRoot.small)
    client.session.invalidateAndCancel()
    #expect(await squid.waitForRequest("CONNECT 127.0.0.1:\(nginx.port(.https)) 200"))
    await squid.stop()
  }

  /// A way by HTTP/3 has no proxy: it is that of what the script says last.
  @Test(.enabled(if: TransferLibrary.speaksHTTP3), arguments: [true, false])
  func aScriptWithBothWaysHasHTTP3OnOne(_ isReachable: Bool) async throws {
    let (caddy, squid) = (try await CaddyServer.shared, try await SquidServer.shared)
    let closed = try FreePort.pick()
    let proxies = Self.inline("PROXY 127.0.0.1:\(isReachable ? squid.port : closed); DIRECT")
    let authority = try await TestCertificates.shared.authority
    let client = RecordedSession {
      $0.connectionProxyDictionary = proxies
      $0.certificateAuthorityFile = authority
      $0.urlCache = nil
      $0[ProxyTools.self] = Self.tools
      $0[QUICSettings.self].headStart = .seconds(20)
    }
    var request = URLRequest(url: caddy.url("/small.txt?both-ways"))
    request.assumesHTTP3Capable = true
    for _ in 0..<2 {
      let record = await client.load(request)
      #expect(record.body == DocumentRoot.small, "\(words(record))")
      #expect(record.metrics?.transactionMetrics.last?.networkProtocolName == (isReachable ? "h2" : "h3"))
    }
  }

  @Test(arguments: ["SOCKS", "SOCKS5"])
  func socks(_ kind: String) async throws {
    let socks = try await SOCKSServer.start()
    let nginx = try await NginxServer.shared
    let client = try await Self.session(Self.inline("\(kind) 127.0.0.1:\(socks.port)"))
    #expect(await client.load(nginx.url()).body == DocumentRoot.small)
    #expect(await socks.waitForConnection(to: nginx.port()))
    let ftp = try await FTPServer.shared
    #expect(await client.load(ftp.url()).body == DocumentRoot.small)
    #expect(await socks.waitForConnection(to: ftp.port))
    await socks.stop()
  }

  @Test func overTLS() async throws {
    let front = try await TLSFront.start(before: try await SquidServer.shared.port, speaking: "http/1.1")
    let client = try await Self.session(Self.inline("HTTPS 127.0.0.1:\(front.port)"))
    let url = try await NginxServer.shared.url("/small.txt?secure-script")
    #expect(await client.load(url).body == DocumentRoot.small)
    #expect(await (try await SquidServer.shared).waitForRequest("GET \(url.absoluteString) 200"))
  }

  @Test func aProxyOfAScriptChallenges() async throws {
    let squid = try await SquidServer.authenticating
    let credential = URLCredential(user: SquidServer.user, password: SquidServer.password, persistence: .forSession)
    for listener in [NginxServer.Listener.http, .https] {
      let recorder = LoadRecorder(onChallenge: { _ in (.useCredential, credential) })
      let client = try await Self.session(Self.inline("PROXY 127.0.0.1:\(squid.port)"), recorder: recorder)
      let record = await client.load(try await NginxServer.shared.url(on: listener))
      #expect(record.body == DocumentRoot.small, "\(words(record))")
      #expect(record.challenges.map(\.protectionSpace.port) == [Int(squid.port)])
    }
  }

  // MARK: Failover

  @Test(arguments: [NginxServer.Listener.http, .https])
  func theNextProxyIsTried(_ listener: NginxServer.Listener) async throws {
    let squid = try await SquidServer.shared
    let dead = try FreePort.pick()
    let result = "PROXY 127.0.0.1:\(dead); SOCKS 127.0.0.1:\(dead); PROXY 127.0.0.1:\(squid.port)"
    let client = try await Self.session(Self.inline(result))
    for index in 0..<2 {
      let record = await client.load(try await NginxServer.shared.url("/small.txt?\(index)", on: listener))
      #expect(record.body == DocumentRoot.small && record.completions == 1, "\(words(record))")
    }
  }

  @Test func aDirectConnectionIsTheLastWay() async throws {
    let result = "PROXY 127.0.0.1:\(try FreePort.pick()); PROXY no-such-name.invalid:80; DIRECT"
    let record = await (try await Self.session(Self.inline(result))).load(try await NginxServer.shared.url())
    #expect(record.body == DocumentRoot.small, "\(words(record))")
    #expect(record.metrics?.transactionMetrics.last?.isProxyConnection == false)
  }

  @Test func anUploadGoesToTheNextProxy() async throws {
    let server = try ScriptedServer.http { HTTPResponse(body: $0.body) }
    let squid = try await SquidServer.shared
    let result = "PROXY 127.0.0.1:\(try FreePort.pick()); PROXY 127.0.0.1:\(squid.port)"
    let body = Data(repeating: 3, count: 200_000)
    let recorder = LoadRecorder(onStream: { _ in InputStream(data: body) })
    let client = try await Self.session(Self.inline(result), recorder: recorder)
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let record = await client.run(client.session.uploadTask(withStreamedRequest: request))
    #expect(record.body == body, "\(words(record))")
  }

  @Test func withNoWayLeftTheLastFailureIsTheResult() async throws {
    let result = "PROXY 127.0.0.1:\(try FreePort.pick()); PROXY 127.0.0.1:\(try FreePort.pick())"
    let record = await (try await Self.session(Self.inline(result))).load(try await NginxServer.shared.url())
    #expect(record.code == .cannotConnectToHost && record.completions == 1, "\(words(record))")
    let file = await (try await Self.session(Self.inline(result))).load(try await FTPServer.shared.url())
    #expect(file.code == .cannotConnectToHost && file.completions == 1, "\(words(file))")
  }

  /// A port that nobody answers at: its queue of connections is full.
  @Test func aProxyThatDoesNotAnswerGivesWay() async throws {
    let silent = try ListeningSocket(port: 0, ipv6: false, backlog: 0)
    let fillers = (0..<4).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0) }
    defer { for descriptor in fillers + [silent.descriptor] { close(descriptor) } }
    for filler in fillers {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = silent.port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          _ = connect(filler, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    let client = try await Self.session(Self.inline("PROXY 127.0.0.1:\(silent.port); DIRECT"))
    let record = await client.load(try await NginxServer.shared.url())
    #expect(record.body == DocumentRoot.small, "\(words(record))")
  }

  /// What the server does is not the proxy's fault.
  @Test func aServerThatIsNotThereIsNoReasonForAnotherProxy() async throws {
    let socks = try await SOCKSServer.start()
    let result = "SOCKS 127.0.0.1:\(socks.port); DIRECT"
    let client = try await Self.session(Self.inline(result))
    let url = try #require(URL(string: "http://127.0.0.1:\(try FreePort.pick())/"))
    let record = await client.load(url)
    #expect(record.code == .cannotConnectToHost, "\(words(record))")
    #expect(await client.load(try await NginxServer.shared.url()).body == DocumentRoot.small)
    #expect(await socks.waitForConnection(to: try await NginxServer.shared.port()))
    await socks.stop()
  }

  @Test func filesOfFTPServersFailOver() async throws {
    let result = "SOCKS 127.0.0.1:\(try FreePort.pick()); DIRECT"
    let record = await (try await Self.session(Self.inline(result))).load(try await FTPServer.shared.url())
    #expect(record.body == DocumentRoot.small, "\(words(record))")
  }

  // MARK: The script's file

  @Test func aFileByEveryScheme() async throws {
    let squid = try await SquidServer.shared
    let nginx = try await NginxServer.shared
    let script = Self.script("PROXY 127.0.0.1:\(squid.port)")
    let directory = try TemporaryDirectory("pac")
    let file = try directory.write("proxy.pac", script)
    let server = try ScriptedServer.http { _ in HTTPResponse(text: script) }
    let secure = try await TLSFront.start(before: server.port, speaking: "http/1.1")
    let data = "data:application/x-ns-proxy-autoconfig;base64,\(Data(script.utf8).base64EncodedString())"
    let urls = [
      file.absoluteString, server.url("/proxy.pac").absoluteString, secure.url("/proxy.pac").absoluteString, data,
    ]
    for (index, text) in urls.enumerated() {
      let client = try await Self.session([kCFNetworkProxiesProxyAutoConfigURLString: text])
      let url = nginx.url("/small.txt?file-\(index)-\(UUID().uuidString)")
      let record = await client.load(url)
      #expect(record.body == DocumentRoot.small, "\(text.prefix(30)): \(words(record))")
      #expect(await squid.waitForRequest("GET \(url.absoluteString) 200"))
    }
  }

  @Test func aFileIsLoadedOnceForASession() async throws {
    let script = Self.script("DIRECT")
    let server = try ScriptedServer.http { _ in HTTPResponse(text: script) }
    let client = try await Self.session(["ProxyAutoConfigURLString": server.url("/p.pac").absoluteString])
    let nginx = try await NginxServer.shared
    await withTaskGroup { group in
      for index in 0..<8 {
        group.addTask {
          let record = await client.load(nginx.url("/small.txt?\(index)"))
          #expect(record.body == DocumentRoot.small, "\(words(record))")
        }
      }
    }
    #expect(server.requests.count == 1)
    await client.session.flush()
    #expect(await client.load(nginx.url("/small.txt?flushed")).body == DocumentRoot.small)
    #expect(server.requests.count == 2)
  }

  @Test(arguments: ["http", "file"])
  func aFileThatIsTooLong(_ scheme: String) async throws {
    let text = String(repeating: "// a line of a script\n", count: 100_000) + Self.script("DIRECT")
    let directory = try TemporaryDirectory("pac")
    let file = try directory.write("proxy.pac", text)
    let server = try ScriptedServer.http { _ in HTTPResponse(text: text) }
    let url = scheme == "http" ? server.url() : file
    let record = await (try await Self.session(["ProxyAutoConfigURLString": url.absoluteString]))
      .load(try await NginxServer.shared.url())
    #expect(record.code == .cannotConnectToHost && words(record).contains("1 MiB"), "\(words(record))")
  }

  @Test func aFileThatIsNotThere() async throws {
    let nginx = try await NginxServer.shared
    let missing = await (try await Self.session(["ProxyAutoConfigURLString": nginx.url("/no.pac").absoluteString]))
      .load(nginx.url())
    #expect(words(missing).contains("status 404"), "\(words(missing))")
    let dead = "http://127.0.0.1:\(try FreePort.pick())/p.pac"
    let unreachable = await (try await Self.session(["ProxyAutoConfigURLString": dead])).load(nginx.url())
    #expect(unreachable.code == .cannotConnectToHost && words(unreachable).contains("could not be loaded"))
    let none = await (try await Self.session(["ProxyAutoConfigURLString": "proxy.pac"])).load(nginx.url())
    #expect(words(none).contains("its URL cannot be used: proxy.pac"), "\(words(none))")
  }

  // MARK: Scripts that are wrong

  @Test func hostileScripts() async throws {
    let url = try await NginxServer.shared.url()
    let scripts = [
      ("function FindProxyForURL() { while (true); }", "within"), ("function (", "SyntaxError"),
      (Self.script("hello world"), "names no proxy: hello world"),
      ("function FindProxyForURL() { var a = []; while (true) a.push('x' + a.length); }", "script"),
      ("function FindProxyForURL() { return new Array(100000).join('PROXY a;'); }", "longer than 32 KiB"),
      ("\u{0}", "byte 0"), ("function FindProxyForURL() {}", "undefined"),
    ]
    for (script, expected) in scripts {
      let client = try await Self.session(["ProxyAutoConfigJavaScript": script]) {
        $0.scriptTimeLimit = .seconds(Sanitizing.isOn ? 60 : 4)
      }
      let record = await client.load(url)
      #expect(record.code == .cannotConnectToHost && record.completions == 1, "\(script.prefix(50))")
      // A sanitizer has the program that runs scripts take many times as long.
      let isOutOfTime = Sanitizing.isOn && words(record).contains("the time of the processor")
      // The libpacparser of Debian 13 needs more memory than there is for the long answer.
      let isOutOfMemory = expected.hasPrefix("longer") && words(record).contains("more memory than")
      #expect(
        words(record).contains(expected) || isOutOfTime || isOutOfMemory, "\(script.prefix(50)): \(words(record))")
      #expect(words(record).contains("proxy auto-config script"))
    }
  }

  @Test func aLoadThatWaitsForItsScriptCanBeCancelled() async throws {
    let client = try await Self.session(["ProxyAutoConfigJavaScript": "while (true);"])
    let task = client.session.dataTask(with: try await NginxServer.shared.url())
    task.resume()
    try await Task.sleep(for: .milliseconds(200))
    task.cancel()
    let record = await client.run(task, timeout: .seconds(2))
    #expect(record.code == .cancelled && record.completions == 1)
  }

  @Test func withoutTheProgramOrItsLibrary() async throws {
    let url = try await NginxServer.shared.url()
    let noHelper = await (try await Self.session(Self.inline("DIRECT")) { $0.findHelper = { nil } }).load(url)
    #expect(words(noHelper).contains("swift build --product urlload-pac"), "\(words(noHelper))")
    let directory = try TemporaryDirectory("pac")
    let helper = try directory.writeScript("helper", "echo missing libpacparser.so.1")
    let noLibrary = await (try await Self.session(Self.inline("DIRECT")) { $0.findHelper = { helper.path } }).load(url)
    #expect(words(noLibrary).contains("install the package libpacparser1"), "\(words(noLibrary))")
    let cause = (noLibrary.error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.domain == "kCFErrorDomainCFNetwork" && cause?.code == 308)
  }

  // MARK: Other keys

  @Test func exceptionsAreNotAskedFor() async throws {
    var proxies = Self.inline("PROXY 127.0.0.1:\(try FreePort.pick())")
    let url = try await NginxServer.shared.url()
    #expect(await (try await Self.session(proxies)).load(url).error != nil)
    proxies[kCFNetworkProxiesExceptionsList] = ["127.0.0.0/8"]
    #expect(await (try await Self.session(proxies)).load(url).body == DocumentRoot.small)
  }

  @Test func aDisabledScriptLeavesTheProxies() async throws {
    var proxies = Self.inline("PROXY 127.0.0.1:\(try FreePort.pick())")
    proxies[kCFNetworkProxiesProxyAutoConfigEnable] = 0
    let squid = try await SquidServer.shared
    (proxies["HTTPProxy"], proxies["HTTPPort"]) = ("127.0.0.1", Int(squid.port))
    let url = try await NginxServer.shared.url("/small.txt?disabled-script")
    #expect(await (try await Self.session(proxies)).load(url).body == DocumentRoot.small)
    #expect(await squid.waitForRequest("GET \(url.absoluteString) 200"))
  }
}
