import Foundation
import Testing
import URLLoading
import URLLoadingCombine
import URLLoadingTestServers

/// What is not demanded is not read, and the sender is paused.
@Suite(.timeLimit(.minutes(4))) struct BackPressureTests {
  private static let total = bound + (64 << 20)
  private static let chunk = Data(count: 64 << 10)
  /// What the session buffers and is on the way, and what the system lets the buffers of two sockets grow to.
  private static let bound = (8 << 20) + largestBuffer("tcp_rmem") + largestBuffer("tcp_wmem")

  private static func largestBuffer(_ name: String) -> Int {
    let sizes = try? String(contentsOfFile: "/proc/sys/net/ipv4/\(name)", encoding: .ascii)
    return sizes?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 8 << 20
  }

  /// Counts what it could send of a large body.
  private func server(_ sent: Watched<Int>) throws -> ScriptedServer {
    try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.total)\r\n\r\n")
      while sent.value < Self.total {
        try connection.send(Self.chunk)
        sent.update { $0 += Self.chunk.count }
      }
      _ = connection.waitForPeerClose()
    }
  }

  @Test func aSubscriberWithoutADemandPausesTheSender() async throws {
    let sent = Watched(0)
    let server = try server(sent)
    let recorder = LoadRecorder(demand: .max(1))
    URLSession(configuration: .ephemeral).bytesPublisher(for: server.url()).subscribe(recorder)
    #expect(await recorder.values(1))
    let before = await sent.settled()
    #expect(before < Self.bound)
    #expect(recorder.log.value.values.count == 1)
    recorder.request(.unlimited)
    #expect(await recorder.end())
    #expect(recorder.log.value.values.reduce(0) { $0 + $1.data.count } == Self.total)
  }

  @Test func aSlowSubscriberKeepsMemoryBounded() async throws {
    let sent = Watched(0)
    let received = Watched(0)
    let lead = Watched(0)
    let server = try server(sent)
    let session = URLSession(configuration: .ephemeral)
    let queue = DispatchQueue(label: "slow")
    let ended = Watched<Subscribers.Completion<URLError>?>(nil)
    let cancellable = session.bytesPublisher(for: server.url())
      .map { @Sendable in $0.data.count }
      .flatMap(maxPublishers: .max(1)) { @Sendable in Just($0).receive(on: queue).setFailureType(to: URLError.self) }
      .sink(
        receiveCompletion: { @Sendable end in ended.update { $0 = end } },
        receiveValue: { @Sendable count in
          usleep(500)
          let total = received.update { sum in
            sum += count
            return sum
          }
          lead.update { $0 = max($0, sent.value - total) }
        })
    #expect(await ended.wait { $0 != nil })
    #expect(received.value == Self.total)
    #expect(lead.value < Self.bound, "\(lead.value)")
    withExtendedLifetime(cancellable) {}
  }

  @Test func aPrefixCancelsTheLoad() async throws {
    let sent = Watched(0)
    let server = try server(sent)
    let session = URLSession(configuration: .ephemeral)
    let log = await session.bytesPublisher(for: server.url()).prefix(1).recorded()
    #expect(log.isFinished && log.values.count == 1)
    #expect(await server.waitForIdle())
    #expect(sent.value < Self.total)
    try #require(try await eventually { await session.allTasks.isEmpty })
  }
}
