import Foundation
import Testing
import URLLoading
import URLLoadingCombine
import URLLoadingTestServers

/// Who has its end, or has cancelled, is held by nobody; and demands of many threads add up.
@Suite(.timeLimit(.minutes(4))) struct ReleaseTests {
  /// Subscribes a recorder that nobody holds but its subscription, and lets it come to an end.
  /// - Returns: a reference that does not hold it.
  private func released<P: Publisher>(
    _ publisher: P, _ finish: (Recorder<Loaded, URLError>) async -> Void
  ) async -> WeakRecorder where P.Output == Loaded, P.Failure == URLError {
    let recorder = LoadRecorder()
    publisher.subscribe(recorder)
    await finish(recorder)
    return WeakRecorder(recorder: recorder)
  }

  private final class WeakRecorder: Sendable {
    weak let recorder: LoadRecorder?
    init(recorder: LoadRecorder) { self.recorder = recorder }
  }

  @Test func afterTheEndNobodyHoldsTheSubscriber() async throws {
    let server = try await NginxServer.shared
    let session = URLSession.shared
    let recorders = [
      await released(session.dataTaskPublisher(for: server.url())) { _ = await $0.end() },
      await released(session.bytesPublisher(for: server.url())) { _ = await $0.end() },
    ]
    for recorder in recorders { try #require(try await eventually { recorder.recorder == nil }) }
  }

  @Test func afterACancelNobodyHoldsTheSubscriber() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      _ = connection.waitForPeerClose(timeout: .seconds(60))
    }
    let session = URLSession(configuration: .ephemeral)
    let recorders = [
      await released(session.dataTaskPublisher(for: server.url())) { $0.cancel() },
      await released(session.bytesPublisher(for: server.url())) { $0.cancel() },
    ]
    for recorder in recorders { try #require(try await eventually { recorder.recorder == nil }) }
    #expect(await server.waitForIdle())
  }

  @Test func demandsOfManyThreadsAddUp() async throws {
    let server = try await NginxServer.shared
    let recorder = LoadRecorder(demand: .none)
    URLSession.shared.bytesPublisher(for: server.url("/large.bin")).subscribe(recorder)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in recorder.request(.max(1)) }
    #expect(await recorder.values(8))
    #expect(recorder.log.value.values.count == 8)
    #expect(recorder.log.value.completions.isEmpty)
    // While it is read, until it ends.
    while recorder.log.value.completions.isEmpty {
      let count = recorder.log.value.values.count
      DispatchQueue.concurrentPerform(iterations: 8) { _ in recorder.request(.max(1)) }
      #expect(await recorder.log.wait { $0.values.count >= count + 8 || !$0.completions.isEmpty })
      #expect(recorder.log.value.values.count <= count + 8)
    }
    #expect(recorder.log.value.isFinished)
    #expect(recorder.log.value.values.reduce(0) { $0 + $1.data.count } == DocumentRoot.largeSize)
  }
}
