import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Proxies of the system's settings.
@Suite(.timeLimit(.minutes(4))) struct SystemProxyTests {
  private static func client(
    _ system: SystemProxies, environment: [String: String] = [:], dictionary: [AnyHashable: Any]? = nil
  ) -> RecordedSession {
    RecordedSession {
      $0.connectionProxyDictionary = dictionary
      $0[ProxyTools.self].system = system
      $0[ProxyTools.self].environment = { environment[$0] }
    }
  }

  /// What was asked, and the settings that note it.
  private static func system(_ proxies: [String]) -> (Watched<[String]>, SystemProxies) {
    let asked = Watched<[String]>([])
    let system = SystemProxies {
      { url in
        asked.update { $0.append(url) }
        return proxies
      }
    }
    return (asked, system)
  }

  @Test func theSystemChoosesTheProxy() async throws {
    let squid = try await SquidServer.shared
    let (asked, system) = Self.system(["http://127.0.0.1:\(squid.port)", "direct://"])
    let client = Self.client(system)
    let nginx = try await NginxServer.shared
    for index in 0..<3 {
      let url = nginx.url("/small.txt?system-\(index)")
      let record = await client.load(url)
      #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
      #expect(await squid.waitForRequest("GET \(url.absoluteString) 200"))
    }
    #expect(asked.value == ["http://127.0.0.1:\(nginx.port())/"])
  }

  @Test func aProxyThatIsNotThereGivesWay() async throws {
    let (_, system) = Self.system(["http://127.0.0.1:\(try FreePort.pick())", "direct://"])
    let record = await Self.client(system).load(try await NginxServer.shared.url())
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
  }

  @Test(arguments: [[], ["nonsense"], ["direct://"]])
  func nothingOfUseMeansDirect(_ proxies: [String]) async throws {
    let (_, system) = Self.system(proxies)
    #expect(await Self.client(system).load(try await NginxServer.shared.url()).body == DocumentRoot.small)
  }

  @Test(arguments: ["http_proxy", "HTTPS_PROXY", "no_proxy", "HTTP_PROXY"])
  func theEnvironmentGoesFirst(_ variable: String) async throws {
    let (asked, system) = Self.system(["http://127.0.0.1:\(try FreePort.pick())"])
    let client = Self.client(system, environment: [variable: "http://127.0.0.1:1"])
    // Of the environment, only the real one counts for the engine.
    #expect(await client.load(try await NginxServer.shared.url()).body == DocumentRoot.small)
    #expect(asked.value == [])
  }

  @Test func aDictionaryGoesFirst() async throws {
    let (asked, system) = Self.system(["http://127.0.0.1:\(try FreePort.pick())"])
    #expect(
      await Self.client(system, dictionary: [:]).load(try await NginxServer.shared.url()).body == DocumentRoot.small)
    #expect(asked.value == [])
  }

  @Test func withoutTheLibraryNothingIsAsked() async throws {
    let opened = Watched(0)
    let system = SystemProxies {
      opened.update { $0 += 1 }
      return nil
    }
    #expect(!system.isAbsent)
    let url = try await NginxServer.shared.url()
    for _ in 0..<2 { #expect(await Self.client(system).load(url).body == DocumentRoot.small) }
    #expect(system.isAbsent && opened.value == 1)
    #expect(SystemProxies.libproxy("libno-such-library.so.1") == nil)
  }

  @Test func settingsThatDoNotAnswerHoldNobody() async throws {
    let released = AsyncEvent()
    let asked = Watched(0)
    let system = SystemProxies(timeLimit: .milliseconds(300)) {
      { _ in
        asked.update { $0 += 1 }
        _ = released.waitBlocking()
        return []
      }
    }
    defer { released.signal() }
    let client = Self.client(system)
    let nginx = try await NginxServer.shared
    #expect(await client.load(nginx.url(), timeout: .seconds(5)).body == DocumentRoot.small)
    #expect(await client.load(nginx.url("/small.txt?again"), timeout: .seconds(5)).body == DocumentRoot.small)
    #expect(asked.value == 1)
  }

  @Test func aLibraryThatDoesNotOpenHoldsNobody() async throws {
    let released = AsyncEvent()
    let system = SystemProxies(timeLimit: .milliseconds(300)) {
      _ = released.waitBlocking()
      return nil
    }
    defer { released.signal() }
    let url = try await NginxServer.shared.url()
    for _ in 0..<3 {
      #expect(await Self.client(system).load(url, timeout: .seconds(5)).body == DocumentRoot.small)
    }
  }

  @Test func filesOfFTPServers() async throws {
    let socks = try await SOCKSServer.start()
    let (_, system) = Self.system(["socks5://127.0.0.1:\(socks.port)"])
    let ftp = try await FTPServer.shared
    let record = await Self.client(system).load(ftp.url())
    #expect(record.body == DocumentRoot.small, "\(String(describing: record.error))")
    #expect(await socks.waitForConnection(to: ftp.port))
    await socks.stop()
  }

  /// libproxy itself, in a process whose environment it reads.
  @Test func libproxy() async throws {
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let bundle = CommandLine.arguments.drop { !$0.hasSuffix("--test-bundle-path") }.prefix(2)
    let outcome = try await Command.run(
      runner, Array(bundle) + ["--testing-library", "swift-testing", "--filter", "LibproxyChild"],
      environment: [
        LibproxyChild.variable: "1", "http_proxy": "http://proxy.example:3128", "https_proxy": "socks5://s.example:9",
        "no_proxy": "direct.example",
      ], timeout: .seconds(30))
    #expect(outcome.status == .exited(0), "\(outcome.text) \(outcome.error)")
  }
}

/// Asks libproxy, whose settings are those of the environment.
@Suite(.timeLimit(.minutes(4))) struct LibproxyChild {
  static let variable = "URL_LOADING_TEST_LIBPROXY"

  @Test(.enabled(if: ProcessInfo.processInfo.environment[variable] != nil)) func asks() throws {
    let ask = try #require(SystemProxies.libproxy("libproxy.so.1"))
    for _ in 0..<100 {
      #expect(ask("http://a.example/") == ["http://proxy.example:3128"])
      #expect(ask("https://a.example:8443/") == ["socks5://s.example:9"])
      #expect(ask("http://direct.example/") == ["direct://"])
      #expect(ask("nonsense") == ["direct://"])
    }
  }
}
