import Foundation
import Testing
import URLLoading
import URLLoadingCombine
import URLLoadingTestServers

/// A subscriber that cancels is told nothing from then on, whenever it does, and its task ends.
@Suite(.timeLimit(.minutes(4))) struct CancellationTests {
  @Test func beforeADemandNoTaskIsMade() throws {
    let (session, counter) = TaskCounter.session()
    let url = try #require(URL(string: "data:,x"))
    let recorder = LoadRecorder(demand: .none)
    session.dataTaskPublisher(for: url).subscribe(recorder)
    recorder.cancel()
    recorder.request(.unlimited)
    recorder.cancel()
    #expect(counter.made.value == 0)
    let pieces = LoadRecorder(demand: .none)
    session.bytesPublisher(for: url).subscribe(pieces)
    pieces.cancel()
    pieces.request(.unlimited)
    #expect(counter.made.value == 0)
  }

  @Test func afterADemandTheTaskIsCancelled() async throws {
    let server = try ScriptedServer.silent()
    let session = URLSession(configuration: .ephemeral)
    let recorder = LoadRecorder()
    session.dataTaskPublisher(for: server.url()).subscribe(recorder)
    let pieces = LoadRecorder()
    session.bytesPublisher(for: server.url()).subscribe(pieces)
    #expect(await server.waitForRequests(2))
    recorder.cancel()
    pieces.cancel()
    #expect(await server.waitForIdle())
    #expect(recorder.log.value.completions.isEmpty && recorder.log.value.values.isEmpty)
    #expect(pieces.log.value.completions.isEmpty && pieces.log.value.values.isEmpty)
  }

  @Test func aReleasedCancellableCancels() async throws {
    let server = try ScriptedServer.silent()
    let session = URLSession(configuration: .ephemeral)
    var cancellable: AnyCancellable? = session.dataTaskPublisher(for: server.url())
      .sink(receiveCompletion: { @Sendable _ in }, receiveValue: { @Sendable _ in })
    #expect(await server.waitForRequests(1))
    #expect(cancellable != nil)
    cancellable = nil
    #expect(await server.waitForIdle())
  }

  /// The delegate is told of a task before the subscription has it.
  private final class Canceller: NSObject, URLSessionTaskDelegate, Sendable {
    let recorder: LoadRecorder
    init(_ recorder: LoadRecorder) { self.recorder = recorder }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { recorder.cancel() }
  }

  @Test func whileTheTaskIsMade() async throws {
    let server = try ScriptedServer.silent()
    let recorder = LoadRecorder()
    let session = URLSession(configuration: .ephemeral, delegate: Canceller(recorder), delegateQueue: nil)
    session.dataTaskPublisher(for: server.url()).subscribe(recorder)
    try #require(try await eventually { await session.allTasks.isEmpty })
    #expect(server.requests.isEmpty)
    #expect(recorder.log.value.completions.isEmpty)
  }

  @Test func insideOfTheValueTheEndIsSilent() async throws {
    let url = try #require(URL(string: "data:,x"))
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    let recorder = LoadRecorder { recorder, _ in
      recorder.cancel()
      recorder.request(.unlimited)
      return .unlimited
    }
    session.dataTaskPublisher(for: url).subscribe(recorder)
    let pieces = LoadRecorder { recorder, _ in
      recorder.cancel()
      return .unlimited
    }
    session.bytesPublisher(for: url).subscribe(pieces)
    #expect(await recorder.values(1))
    #expect(await pieces.values(1))
    // All that was to come has come: the queue is serial, and both loads have ended.
    try #require(try await eventually { await session.allTasks.isEmpty })
    let isIdle = AsyncEvent()
    queue.addOperation { isIdle.signal() }
    #expect(await isIdle.wait())
    #expect(recorder.log.value.completions.isEmpty)
    #expect(pieces.log.value.completions.isEmpty)
  }

  @Test func aResultThatWaitsForTheQueueIsSilenced() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    let recorder = LoadRecorder()
    session.dataTaskPublisher(for: try #require(URL(string: "data:,x"))).subscribe(recorder)
    try #require(try await eventually { queue.operationCount > 0 })
    recorder.cancel()
    let isIdle = AsyncEvent()
    queue.addOperation { isIdle.signal() }
    queue.isSuspended = false
    #expect(await isIdle.wait())
    #expect(recorder.log.value.values.isEmpty && recorder.log.value.completions.isEmpty)
  }

  /// At random moments, from another thread: each ends whole, or says nothing after the cancel.
  @Test func fromOtherThreadsAtAnyMoment() async throws {
    let server = try await NginxServer.shared
    let session = URLSession(configuration: .ephemeral)
    let isPieces = [false, true]
    var recorders: [LoadRecorder] = []
    for index in 0..<400 {
      let recorder = LoadRecorder(demand: .none)
      if isPieces[index % 2] {
        session.bytesPublisher(for: server.url()).subscribe(recorder)
      } else {
        session.dataTaskPublisher(for: server.url()).subscribe(recorder)
      }
      recorders.append(recorder)
      DispatchQueue.global().async { recorder.request(.unlimited) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(index * 10)) { recorder.cancel() }
    }
    try #require(try await eventually { await session.allTasks.isEmpty })
    for recorder in recorders {
      let log = recorder.log.value
      #expect(log.completions.count <= 1)
      #expect(log.failure == nil)
      if log.isFinished { #expect(log.values.reduce(Data()) { $0 + $1.data } == DocumentRoot.small) }
    }
  }
}
