import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Where connections begin, how long they are kept and for how many requests, by what servers see of them.
@Suite(.timeLimit(.minutes(3))) struct ConnectionSettingsTests {
  /// Answers with the connection's number, and the peer's address and port.
  private static func server(ipv6: Bool = false) throws -> ScriptedServer {
    try ScriptedServer(ipv6: ipv6) { connection in
      while let request = try connection.readRequest() {
        let peer = connection.peer.map { "\($0.address) \($0.port)" } ?? ""
        try connection.send(HTTPResponse(text: "\(connection.number) \(peer)"), to: request)
      }
    }
  }

  private struct Seen {
    let connection: Int
    let address: String
    let port: UInt16

    init?(_ record: LoadRecord) {
      let words = record.text.split(separator: " ")
      guard record.error == nil, words.count == 3, let number = Int(words[0]), let port = UInt16(words[2]) else {
        return nil
      }
      (connection, address, self.port) = (number, String(words[1]), port)
    }
  }

  private func client(_ change: (inout NetworkSettings) -> Void) -> RecordedSession {
    RecordedSession { change(&$0.network) }
  }

  // MARK: Where they begin

  @Test(arguments: LoadKind.allCases) func addresses(_ kind: LoadKind) async throws {
    let server = try Self.server()
    for address in ["127.0.0.1", "127.0.0.77"] {
      let client = self.client { $0.localInterface = address }
      let record = await client.load(server.url(), as: kind)
      #expect(Seen(record)?.address == address, "\(String(describing: record.error))")
      #expect(kind == .async || record.metrics?.transactionMetrics.last?.localAddress == address)
    }
    if FreePort.hasIPv6 {
      let other = try Self.server(ipv6: true)
      let record = await self.client { $0.localInterface = "::1" }.load(other.url(), as: kind)
      #expect(Seen(record)?.address == "::1", "\(String(describing: record.error))")
    }
  }

  @Test func interfaces() async throws {
    let server = try Self.server()
    let record = await self.client { $0.localInterface = "lo" }.load(server.url())
    #expect(Seen(record)?.address == "127.0.0.1", "\(String(describing: record.error))")
  }

  @Test func placesWhereNoneCanBegin() async throws {
    let server = try Self.server()
    for (place, words) in [
      ("192.0.2.1", ""), ("no-such-if", ""), ("example.org", ""), ("", "neither an address"),
      ("a name of a host", "neither an address"), ("a/b", "neither an address"),
    ] {
      let client = self.client { $0.localInterface = place }
      for kind in LoadKind.allCases {
        let record = await client.load(server.url(), as: kind)
        #expect(record.code == .cannotConnectToHost, "\(place): \(String(describing: record.error))")
        #expect(record.error?.localizedDescription.contains(words) == true || words.isEmpty)
      }
    }
    let both = client {
      $0.localInterface = "lo"
      $0.localPorts = 4000...5000
    }
    let record = await both.load(server.url())
    #expect(record.error?.localizedDescription.contains("is the name of an interface") == true)
    #expect(server.connectionCount == 0)
  }

  @Test func ports() async throws {
    let server = try Self.server()
    let port = try FreePort.pick()
    let range = port...min(port, .max - 20) + 20
    let client = self.client { $0.localPorts = range }
    let first = await client.load(server.url())
    let seen = try #require(Seen(first))
    #expect(range.contains(seen.port) && seen.address == "127.0.0.1")
    // Of one port there is one connection to a host.
    let single = self.client {
      $0.localPorts = seen.port...seen.port
      $0.localInterface = "127.0.0.1"
    }
    let record = await single.load(server.url())
    #expect(record.code == .cannotConnectToHost, "\(String(describing: record.error)) \(record.text)")
    #expect(server.connectionCount == 1)
  }

  // MARK: How long they are kept

  @Test func idleConnectionsAreUsedAgainForAWhile() async throws {
    let server = try Self.server()
    let (short, long) = (client { $0.maximumIdleTime = 1 }, client { _ in })
    let first = [Seen(await short.load(server.url()))?.connection, Seen(await long.load(server.url()))?.connection]
    #expect(Seen(await short.load(server.url()))?.connection == first[0])
    // The time itself is what is tested; libcurl counts whole seconds.
    try await Task.sleep(for: .milliseconds(2200))
    #expect(Seen(await long.load(server.url()))?.connection == first[1])
    #expect(Seen(await short.load(server.url()))?.connection == 3)
    #expect(await server.wait { $0.open == 2 })
  }

  @Test func connectionsGetOld() async throws {
    let server = try Self.server()
    let client = self.client { $0.maximumConnectionAge = 1 }
    let begin = ContinuousClock.now
    var last = 0
    // It is never idle for long.
    while begin.duration(to: .now) < .milliseconds(4500) {
      let record = await client.load(server.url())
      last = try #require(Seen(record)?.connection)
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect((2...5).contains(last), "\(last)")
    #expect(await server.wait { $0.open == 1 })
  }

  @Test(arguments: LoadKind.allCases) func soManyRequestsAConnection(_ kind: LoadKind) async throws {
    let server = try Self.server()
    let client = self.client { $0.maximumRequestsPerConnection = 3 }
    var connections: [Int] = []
    for _ in 0..<10 {
      let record = await client.load(server.url(), as: kind)
      connections.append(try #require(Seen(record)?.connection))
      // The client closes it, and not the server.
      if connections.count % 3 == 0 { #expect(await server.waitForIdle()) }
    }
    #expect(connections == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4])
  }

  @Test func loadsThatGoDirectlyAreCounted() async throws {
    let server = try Self.server()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    (configuration.urlCache, configuration.httpCookieStorage) = (nil, nil)
    configuration.network.maximumRequestsPerConnection = 1
    let session = URLSession(configuration: configuration)
    for number in 1...3 {
      #expect(try await String(decoding: session.data(from: server.url()).0, as: UTF8.self).hasPrefix("\(number) "))
    }
    session.invalidateAndCancel()
  }

  @Test func manyAtOnceAreCounted() async throws {
    let server = try Self.server()
    let client = self.client { $0.maximumRequestsPerConnection = 4 }
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<100 {
        group.addTask { String(decoding: try await client.session.data(from: server.url()).0, as: UTF8.self) }
      }
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    let uses = Dictionary(grouping: texts) { $0.prefix { $0 != " " } }.mapValues(\.count)
    #expect(uses.values.allSatisfy { $0 <= 4 } && uses.values.reduce(0, +) == 100, "\(uses)")
    #expect(uses.count >= 25)
  }

  /// A login is a second request on the connection.
  @Test func repeatedRequestsAreCounted() async throws {
    let server = try ScriptedServer(ipv6: false) { connection in
      while let request = try connection.readRequest() {
        let response =
          request.fields["Authorization"] == nil
          ? HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""])
          : HTTPResponse(text: String(connection.number))
        try connection.send(response, to: request)
      }
    }
    let credential = URLCredential(user: "u", password: "p", persistence: .none)
    let recorder = LoadRecorder(onChallenge: { _ in (.useCredential, credential) })
    let client = RecordedSession(recorder) { $0.network.maximumRequestsPerConnection = 2 }
    for number in 1...3 { #expect(await client.load(server.url()).text == String(number)) }
    #expect(server.requests.count == 6)
  }

  @Test func streamsAreCounted() async throws {
    let nginx = try await NginxServer.start(largeSize: 0)
    let authority = try await TestCertificates.shared.authority
    let client = RecordedSession {
      $0.certificateAuthorityFile = authority
      $0.network.maximumRequestsPerConnection = 2
    }
    for number in 0..<6 {
      #expect(await client.load(nginx.url("/echo?\(number)", on: .https)).text.contains("protocol: HTTP/2.0"))
    }
    #expect(await nginx.waitForAccess("/echo?5"))
    let connections = nginx.accessLog.compactMap { line -> Substring? in
      let words = line.split(separator: " ")
      return words.count > 4 && words[1].hasPrefix("/echo") ? words[4] : nil
    }
    #expect(connections.count == 6 && Set(connections).count == 3, "\(nginx.accessLog)")
    await nginx.stop()
  }

  // MARK: Probes

  /// The timer of a socket (proc(5)): 2 is that of probes, then when it ends, in hundredths of a second.
  private func timer(ofConnectionFrom port: UInt16, to server: UInt16) async throws -> (kind: Int, hundredths: Int)? {
    let ends = [port, server].map { String(format: ":%04X", Int($0)) }
    // Foundation reads the first page of such a file alone.
    let table = try await URLSession(configuration: .ephemeral).data(from: URL(filePath: "/proc/net/tcp")).0
    for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 5, words[1].hasSuffix(ends[0]), words[2].hasSuffix(ends[1]) else { continue }
      let parts = words[5].split(separator: ":")
      return (Int(parts[0], radix: 16) ?? -1, Int(parts[1], radix: 16) ?? -1)
    }
    return nil
  }

  @Test func connectionsAreProbed() async throws {
    let server = try Self.server()
    for (interval, kind) in [(nil, 0), (40, 2)] as [(TimeInterval?, Int)] {
      let client = self.client { $0.keepAliveInterval = interval }
      // What was sent may wait for its acknowledgement, which is another timer; and a change of the machine's network closes the connection.
      var left = 0
      let isProbed = try await eventually {
        let seen = try #require(Seen(await client.load(server.url())))
        guard let timer = try await self.timer(ofConnectionFrom: seen.port, to: server.port), timer.kind == kind else {
          return false
        }
        left = timer.hundredths
        return true
      }
      #expect(isProbed, "\(String(describing: interval))")
      #expect(interval == nil || (1500...4000).contains(left), "\(left)")
      // Its end closes the connection.
      withExtendedLifetime(client) {}
    }
  }

  // MARK: Other processes

  @Test func olderSettingsAreRead() throws {
    let older =
      #"{"addressFamily":"ipv4","hostAddresses":{},"maximumHTTPVersion":2,"maximumRedirects":5,"recordsRequestHeads":false}"#
    let settings = try JSONDecoder().decode(NetworkSettings.self, from: Data(older.utf8))
    var expected = NetworkSettings()
    (expected.addressFamily, expected.maximumRedirects) = (.ipv4, 5)
    #expect(settings == expected)
    expected.localInterface = "eth0"
    expected.localPorts = 1...2
    (expected.maximumIdleTime, expected.maximumConnectionAge, expected.keepAliveInterval) = (1, 2, 3)
    (expected.maximumRequestsPerConnection, expected.unixSocketPath) = (4, "/a")
    #expect(try JSONDecoder().decode(NetworkSettings.self, from: JSONEncoder().encode(expected)) == expected)
  }

  /// An older service would have connections begin anywhere.
  @Test func olderServicesLackThem() {
    var description = BackgroundSessionDescription(identifier: "a", program: "/bin/true")
    #expect(description.lack(ofServiceWithVersion: 1) == nil)
    description.network = NetworkSettings()
    description.network?.maximumIdleTime = 5
    #expect(description.lack(ofServiceWithVersion: 1) == nil)
    description.network?.localPorts = 1000...2000
    #expect(description.lack(ofServiceWithVersion: 2)?.contains("ports") == true)
    #expect(description.lack(ofServiceWithVersion: BackgroundWire.version) == nil)
  }
}
