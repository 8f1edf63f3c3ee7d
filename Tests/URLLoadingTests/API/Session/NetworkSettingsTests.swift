import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// How a session reaches servers.
@Suite(.timeLimit(.minutes(2))) struct NetworkSettingsTests {
  private static func session(_ change: (inout NetworkSettings) -> Void) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    change(&configuration.network)
    return URLSession(configuration: configuration)
  }

  @Test func addressesInPlaceOfALookup() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: $0.fields["Host"] ?? "") }
    let url = try #require(URL(string: "http://named.invalid:\(server.port)/"))
    let session = Self.session { $0.hostAddresses = ["named.invalid:\(server.port)": ["127.0.0.1"]] }
    #expect(try await String(decoding: session.data(from: url).0, as: UTF8.self) == "named.invalid:\(server.port)")
    let every = Self.session { $0.hostAddresses = ["*:\(server.port)": ["127.0.0.1"]] }
    #expect(try await String(decoding: every.data(from: url).0, as: UTF8.self) == "named.invalid:\(server.port)")
    // Sessions without it do not share what it says.
    await #expect(throws: URLError.self) { try await Self.session { _ in }.data(from: url) }
    for session in [session, every] { session.invalidateAndCancel() }
  }

  @Test func oneFamilyAlone() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "4") }
    let four = Self.session { $0.addressFamily = .ipv4 }
    #expect(try await four.data(from: server.url()).0 == Data("4".utf8))
    let six = Self.session { $0.addressFamily = .ipv6 }
    await #expect(throws: URLError.self) { try await six.data(from: server.url()) }
    #expect(server.requests.count == 1)
    let other = try ScriptedServer.http(ipv6: true) { _ in HTTPResponse(text: "6") }
    #expect(try await six.data(from: other.url()).0 == Data("6".utf8))
    await #expect(throws: URLError.self) { try await four.data(from: other.url()) }
    #expect(other.requests.count == 1)
    for session in [four, six] { session.invalidateAndCancel() }
  }

  @Test func headersAreOmitted() async throws {
    let body = Watched(Data())
    let server = try ScriptedServer.http { request in
      body.update { $0 = request.body }
      return HTTPResponse(text: request.fields.list.map { $0.name.lowercased() }.sorted().joined(separator: " "))
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.httpAdditionalHeaders = ["X-One": "1", "X-Two": "2"]
    configuration.httpOmittedHeaders = ["Accept", "USER-AGENT", "accept-language", "X-One", "Content-Length"]
    #expect(configuration.httpOmittedHeaders.isSuperset(of: ["accept", "user-agent", "x-one"]))
    let session = URLSession(configuration: configuration)
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.setValue("text/html", forHTTPHeaderField: "accept")
    request.setValue("3", forHTTPHeaderField: "X-Three")
    let (data, _) = try await session.upload(for: request, from: Data("body".utf8))
    let names = String(decoding: data, as: UTF8.self).split(separator: " ")
    // A body needs its framing, whatever is omitted.
    #expect(names.contains("content-length") && names.contains("x-two") && names.contains("x-three"))
    #expect(!names.contains("accept") && !names.contains("user-agent"))
    #expect(!names.contains("accept-language") && !names.contains("x-one"))
    #expect(body.value == Data("body".utf8))
    session.invalidateAndCancel()
  }

  @Test func aConnectionHasToBeMadeInTime() async throws {
    // It answers no handshake.
    let server = try ScriptedServer { connection in _ = connection.waitForPeerClose(timeout: .seconds(30)) }
    let session = Self.session { $0.connectionTimeout = 0.2 }
    let error = await #expect(throws: URLError.self) { try await session.data(from: server.url(scheme: "https")) }
    #expect(error?.code == .timedOut)
    // What comes after the connection takes its time.
    let slow = try ScriptedServer.http { _ in
      Thread.sleep(forTimeInterval: 0.5)
      return HTTPResponse(text: "late")
    }
    #expect(try await session.data(from: slow.url()).0 == Data("late".utf8))
    session.invalidateAndCancel()
  }

  @Test func http2CanBeLeftOut() async throws {
    let nginx = try await NginxServer.shared
    let authority = try await TestCertificates.shared.authority
    for (version, text) in [(NetworkSettings.HTTPVersion.http1, "HTTP/1.1"), (.http2, "HTTP/2.0")] {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.certificateAuthorityFile = authority
      configuration.network.maximumHTTPVersion = version
      let session = URLSession(configuration: configuration)
      let (data, _) = try await session.data(from: nginx.url("/echo", on: .https))
      #expect(String(decoding: data, as: UTF8.self).contains("protocol: \(text)"))
      session.invalidateAndCancel()
    }
  }

  @Test func ratesAreKept() async throws {
    let server = try ScriptedServer.http { HTTPResponse(body: Data(count: $0.method == "GET" ? 4_000_000 : 0)) }
    let session = Self.session {
      $0.maximumReceivedBytesPerSecond = 1_000_000
      $0.maximumSentBytesPerSecond = 40_000
    }
    var begin = ContinuousClock.now
    #expect(try await session.data(from: server.url()).0.count == 4_000_000)
    let received = begin.duration(to: .now)
    // A busy machine takes longer, and not three times as long.
    #expect(received > .seconds(3) && received < .seconds(12), "\(received)")
    begin = .now
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    _ = try await session.upload(for: request, from: Data(count: 120_000))
    #expect(begin.duration(to: .now) > .milliseconds(700))
    session.invalidateAndCancel()
  }

  @Test func soManyRedirectsAreFollowed() async throws {
    let server = try ScriptedServer.http { request in
      let number = Int(request.path.dropFirst()) ?? 0
      return number > 0 ? .redirect(to: "/\(number - 1)") : HTTPResponse(text: "there")
    }
    let session = Self.session { $0.maximumRedirects = 2 }
    #expect(try await session.data(from: server.url("/2")).0 == Data("there".utf8))
    let error = await #expect(throws: URLError.self) { try await session.data(from: server.url("/3")) }
    #expect(error?.code == .httpTooManyRedirects)
    let longer = Self.session { $0.maximumRedirects = 30 }
    #expect(try await longer.data(from: server.url("/30")).0 == Data("there".utf8))
    for session in [session, longer] { session.invalidateAndCancel() }
  }

  /// Keeps the metrics of a task.
  private final class Metrics: NSObject, URLSessionTaskDelegate {
    let heads = Watched<[String?]>([])

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      heads.update { $0 += metrics.transactionMetrics.map(\.sentRequestHead) }
    }
  }

  @Test func headsOfRequestsAreRecordedWhereThatIsAskedFor() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "x") }
    for records in [true, false] {
      let session = Self.session { $0.recordsRequestHeads = records }
      var request = URLRequest(url: server.url("/a?b"))
      request.setValue("1", forHTTPHeaderField: "X-Test")
      let metrics = Metrics()
      _ = try await session.data(for: request, delegate: metrics)
      let head = try #require(metrics.heads.value.last)
      let sent = server.log.requests.last.map { String(decoding: $0.raw, as: UTF8.self) }
      #expect(head == (records ? sent : nil))
      session.invalidateAndCancel()
    }
  }
}
