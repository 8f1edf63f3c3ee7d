import Foundation
import Testing
import URLLoadingBase
import URLLoadingCurlTransport
import URLLoadingTestServers

/// Transfers that wait for a connection, and have no handle of libcurl's yet.
@Suite struct WaitingTransferTests {
  private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// A server that notes the paths that it is asked for, and answers while its gate is open.
  private final class NotingServer: Sendable {
    let paths = SharedValue<[String]>([])
    let gate = DispatchSemaphore(value: 0)
    let server: ScriptServer

    init(isOpen: Bool) throws {
      let (paths, gate) = (paths, gate)
      server = try ScriptServer { connection, _ in
        while let head = connection.readHead() {
          paths.withLock { $0.append(head.split(separator: " ").dropFirst().first.map(String.init) ?? "") }
          if !isOpen {
            // Once opened it stays open.
            guard gate.wait(timeout: .now() + 60) == .success else { return }
            gate.signal()
          }
          connection.send(ok)
        }
      }
    }

    func start(_ count: Int, in engine: TransferEngine) -> [(transfer: Transfer, recorder: Recorder)] {
      (0..<count).map { number in
        let recorder = Recorder()
        return (engine.start(TransferRequest(url: server.url("/\(number)")), handler: recorder), recorder)
      }
    }
  }

  private func drainLoop() async {
    await withCheckedContinuation { continuation in
      EventLoop.shared.execute { EventLoop.shared.execute { continuation.resume() } }
    }
  }

  @Test(arguments: [1, 6])
  func allAreLoadedInTheOrderInWhichTheyCame(connections: Int) async throws {
    let server = try NotingServer(isOpen: true)
    let engine = makeEngine(connectionsPerHost: connections)
    let count = connections == 1 ? 1000 : 10_000
    for load in server.start(count, in: engine) {
      let state = try await load.recorder.completion(120)
      #expect(state.events == ["queue", "head", "body", "complete"])
    }
    #expect(server.server.connectionCount <= connections)
    let numbers = server.paths.withLock { $0 }.compactMap { Int($0.dropFirst()) }
    #expect(numbers.count == count)
    // When the server reads a request, all before it were sent: it has read them, but for those on the other connections.
    let furthest = zip(numbers, 0...).map { $0 - $1 }.max() ?? 0
    #expect(furthest < connections, "one was read \(furthest) places too early")
  }

  @Test func someAreCancelledMeanwhile() async throws {
    let server = try NotingServer(isOpen: false)
    let engine = makeEngine(connectionsPerHost: 1)
    let loads = server.start(101, in: engine)
    _ = try await loads[0].recorder.wait { $0.events == ["queue"] }
    for number in stride(from: 2, through: 100, by: 2) { loads[number].transfer.cancel() }
    server.gate.signal()
    for number in stride(from: 1, through: 99, by: 2) {
      #expect(try await loads[number].recorder.completion().failure == nil)
    }
    await drainLoop()
    for number in stride(from: 2, through: 100, by: 2) { #expect(loads[number].recorder.state.events.isEmpty) }
    let expected = (0..<100).filter { $0 == 0 || $0 % 2 == 1 }.map { "/\($0)" }
    #expect(server.paths.withLock { $0 } == expected)
  }

  /// A handler cancels those after it, which then must not begin.
  @Test func theFirstOneCancelsAllOthers() async throws {
    let server = try NotingServer(isOpen: true)
    let engine = makeEngine(connectionsPerHost: 1)
    let others = Locked<[Transfer]>([])
    let first = Recorder(onHead: { _ in others.withLock { $0 }.forEach { $0.cancel() } })
    let loads: [(transfer: Transfer, recorder: Recorder)] = await withCheckedContinuation { continuation in
      // On the loop, so that nothing happens before all are in line.
      EventLoop.shared.execute {
        _ = engine.start(TransferRequest(url: server.server.url("/first")), handler: first)
        let loads = server.start(20, in: engine)
        others.withLock { $0 = loads.map(\.transfer) }
        continuation.resume(returning: loads)
      }
    }
    _ = try await first.completion()
    #expect(try await engine.get(server.server.url("/last")).failure == nil)
    #expect(server.paths.withLock { $0 } == ["/first", "/last"])
    #expect(loads.allSatisfy { $0.recorder.state.events.isEmpty })
  }

  @Test func aCancelledOneIsReleasedAtOnce() async throws {
    let server = try NotingServer(isOpen: false)
    defer { server.gate.signal() }
    let engine = makeEngine(connectionsPerHost: 1)
    let first = server.start(1, in: engine)
    weak var handler: Recorder?
    weak var body: TestBodySource?
    let transfer = {
      let (recorder, source) = (Recorder(), TestBodySource([1, 2, 3]))
      (handler, body) = (recorder, source)
      let request = TransferRequest(url: server.server.url(), method: "PUT", body: .source(source, length: 3))
      return engine.start(request, handler: recorder)
    }()
    await drainLoop()
    #expect(handler != nil && body != nil)
    transfer.cancel()
    await drainLoop()
    #expect(handler == nil && body == nil)
    withExtendedLifetime(first) {}
  }

  @Test func aSilentHostHoldsUpNoOther() async throws {
    let silent = try NotingServer(isOpen: false)
    defer { silent.gate.signal() }
    let server = try NotingServer(isOpen: true)
    let engine = makeEngine(connectionsPerHost: 2)
    let stuck = silent.start(500, in: engine)
    for load in server.start(500, in: engine) { #expect(try await load.recorder.completion().failure == nil) }
    #expect(stuck.allSatisfy { $0.recorder.state.result == nil })
  }

  @Test func whatWasPausedMeanwhileIsPausedThen() async throws {
    let server = try NotingServer(isOpen: false)
    let engine = makeEngine(connectionsPerHost: 1)
    let loads = server.start(4, in: engine)
    _ = try await loads[0].recorder.wait { $0.events == ["queue"] }
    loads[1].transfer.pause()
    loads[1].transfer.resume()
    loads[3].transfer.pause()
    server.gate.signal()
    for number in 0..<3 { #expect(try await loads[number].recorder.completion().failure == nil) }
    _ = try await loads[3].recorder.wait { $0.head != nil }
    await drainLoop()
    #expect(loads[3].recorder.state.body.isEmpty)
    loads[3].transfer.resume()
    #expect(try await loads[3].recorder.completion().body == Array("ok".utf8))
  }

  @Test func aBodyWaitsToo() async throws {
    let bytes = pattern(100_000)
    let uploaded = Locked<[UInt8]>([])
    let gate = DispatchSemaphore(value: 0)
    let server = try ScriptServer { connection, _ in
      while let head = connection.readHead() {
        if head.hasPrefix("PUT") {
          let body = connection.readChunked()
          uploaded.withLock { $0 = body.bytes }
        } else {
          _ = gate.wait(timeout: .now() + 60)
        }
        connection.send(Self.ok)
      }
    }
    let engine = makeEngine(connectionsPerHost: 1)
    let first = Recorder()
    _ = engine.start(TransferRequest(url: server.url()), handler: first)
    let source = TestBodySource(bytes)
    let second = Recorder()
    let put = TransferRequest(url: server.url(), method: "PUT", body: .source(source, length: nil))
    let transfer = engine.start(put, handler: second)
    // The source has more: nobody asked it yet.
    transfer.resumeSending()
    await drainLoop()
    gate.signal()
    #expect(try await second.completion().failure == nil)
    #expect(difference(uploaded.withLock { $0 }, from: bytes) == nil)
  }

  @Test func aRequestThatCannotBeSentFailsAtOnce() async throws {
    let server = try NotingServer(isOpen: false)
    defer { server.gate.signal() }
    let engine = makeEngine(connectionsPerHost: 1)
    let loads = server.start(2, in: engine)
    var request = TransferRequest(url: server.server.url())
    request.headers = [("X", "a\r\nb")]
    let failure = try #require(try await engine.run(request).failure)
    #expect(failure.message.contains("line end"))
    #expect(loads[1].recorder.state.events.isEmpty)
  }

  @Test func theEndOfTheEngineIsTheirs() async throws {
    let server = try NotingServer(isOpen: false)
    defer { server.gate.signal() }
    let engine = makeEngine(connectionsPerHost: 1)
    let before = Date()
    let loads = server.start(50, in: engine)
    _ = try await loads[0].recorder.wait { $0.events == ["queue"] }
    engine.shutdown()
    for load in loads {
      let failure = try #require(try await load.recorder.completion().failure)
      #expect(failure.reason == .engineShutDown)
      #expect(failure.metrics.start >= before && failure.metrics.start <= Date())
    }
    #expect(loads[49].recorder.state.events == ["complete"])
  }

  @Test func theyGoOnWhenConnectionsAreRetired() async throws {
    let server = try NotingServer(isOpen: false)
    let engine = makeEngine(connectionsPerHost: 1)
    let loads = server.start(10, in: engine)
    _ = try await loads[0].recorder.wait { $0.events == ["queue"] }
    engine.closeIdleConnections()
    await drainLoop()
    loads[9].transfer.cancel()
    let later = Recorder()
    _ = engine.start(TransferRequest(url: server.server.url("/later")), handler: later)
    server.gate.signal()
    for load in loads.dropLast() { #expect(try await load.recorder.completion().failure == nil) }
    #expect(try await later.completion().metrics?.isReusedConnection == false)
    #expect(server.server.connectionCount == 2)
  }

  @Test func theTimeInTheLineIsKnown() async throws {
    let server = try NotingServer(isOpen: false)
    let engine = makeEngine(connectionsPerHost: 1)
    let loads = server.start(2, in: engine)
    _ = try await loads[0].recorder.wait { $0.events == ["queue"] }
    // The second one is in line, too.
    await drainLoop()
    let opening = Date()
    server.gate.signal()
    let metrics = try #require(try await loads[1].recorder.completion().metrics)
    #expect(metrics.start <= opening)
    #expect(metrics.start.addingTimeInterval(metrics.queueTime ?? 0) >= opening)
    #expect(metrics.isReusedConnection)
  }

  /// The first connection tells that it takes more at once than there are connections.
  @Test func manyShareAConnectionOfHTTP2() async throws {
    let nginx = try await NginxServer.shared
    var configuration = TransferEngineConfiguration()
    configuration.maximumConnectionsPerHost = 1
    configuration.proxy = .direct
    configuration.tls.caFile = try await TestCertificates.shared.authority.path
    let engine = TransferEngine(configuration: configuration)
    let loads = (0..<60).map { number in
      let recorder = Recorder(flow: { _, _, _ in .pause })
      let url = nginx.url("/small.txt?\(number)", on: .https).absoluteString
      return (transfer: engine.start(TransferRequest(url: url), handler: recorder), recorder: recorder)
    }
    // Nobody takes its body, so that none ends before all have begun.
    for load in loads { _ = try await load.recorder.wait { $0.pauses > 0 } }
    for load in loads { load.transfer.cancel() }
  }
}
