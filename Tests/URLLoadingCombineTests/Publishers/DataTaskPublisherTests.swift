import Foundation
import Testing
import URLLoading
import URLLoadingCombine
import URLLoadingTestServers

/// One value or one failure, from a task that is made by the first demand.
@Suite(.timeLimit(.minutes(4))) struct DataTaskPublisherTests {
  @Test func publishesTheBodyAndTheResponseThenFinishes() async throws {
    let server = try await NginxServer.shared
    let log = await URLSession.shared.dataTaskPublisher(for: server.url()).recorded()
    #expect(log.values.map(\.data) == [DocumentRoot.small])
    #expect((log.values.first?.response as? HTTPURLResponse)?.statusCode == 200)
    #expect(log.isFinished && log.completions.count == 1)
  }

  @Test func aPublisherTellsWhatItLoads() throws {
    let request = URLRequest(url: try #require(URL(string: "data:,x")))
    let publisher = URLSession.DataTaskPublisher(request: request, session: .shared)
    #expect(publisher.request == request && publisher.session === URLSession.shared)
    #expect(URLSession.shared.dataTaskPublisher(for: request).request == request)
  }

  @Test func aStatusIsNoFailureAndAnEmptyBodyIsEmptyData() async throws {
    let server = try await NginxServer.shared
    let log = await URLSession.shared.dataTaskPublisher(for: server.url("/empty.bin")).recorded()
    #expect(log.values.map(\.data) == [Data()])
    let missing = await URLSession.shared.dataTaskPublisher(for: server.url("/status/404")).recorded()
    #expect(missing.isFinished)
  }

  @Test func withoutADemandThereIsNoTask() async throws {
    let server = try await NginxServer.shared
    let (session, counter) = TaskCounter.session()
    let recorder = LoadRecorder(demand: .none)
    session.dataTaskPublisher(for: server.url()).subscribe(recorder)
    recorder.request(.none)
    #expect(recorder.log.value.isSubscribed)
    #expect(counter.made.value == 0)
    recorder.request(.max(1))
    #expect(counter.made.value == 1)
    recorder.request(.unlimited)
    #expect(await recorder.end())
    #expect(counter.made.value == 1)
    #expect(recorder.log.value.values.count == 1)
  }

  @Test func eachSubscriberHasATaskOfItsOwn() async throws {
    let server = try await NginxServer.shared
    let (session, counter) = TaskCounter.session()
    let publisher = session.dataTaskPublisher(for: server.url())
    let recorders = (0..<2).map { _ in LoadRecorder() }
    for recorder in recorders { publisher.subscribe(recorder) }
    for recorder in recorders { #expect(await recorder.end()) }
    #expect(counter.made.value == 2)
  }

  @Test func aThousandSubscribersAtOnceEachGetTheirs() async throws {
    let server = try await NginxServer.shared
    let publisher = URLSession.shared.dataTaskPublisher(for: server.url())
    let recorders = (0..<1_000).map { _ in LoadRecorder() }
    for recorder in recorders { publisher.subscribe(recorder) }
    for recorder in recorders {
      try #require(await recorder.end())
      #expect(recorder.log.value.values.map(\.data) == [DocumentRoot.small])
      #expect(recorder.log.value.completions.count == 1)
    }
  }

  @Test func errorsAreURLErrors() async throws {
    let cases: [(String, URLError.Code)] = [
      ("other", .cannotFindHost), ("object", .timedOut), ("foreign", .unknown),
    ]
    for (host, code) in cases {
      let url = try #require(URL(string: "scripted://\(host)/"))
      let log = await ScriptedProtocol.session.dataTaskPublisher(for: url).recorded()
      #expect(log.failure?.code == code)
      #expect(log.values.isEmpty)
      switch host {
      case "object": #expect(log.failure?.userInfo["key"] as? String == "value")
      case "foreign": #expect(log.failure?.userInfo[NSUnderlyingErrorKey] is ScriptedProtocol.Foreign)
      default: break
      }
    }
  }

  /// Its handlers get nothing at all.
  // Safe to share: it has no state.
  private final class EmptySession: URLSession, @unchecked Sendable {
    override func dataTask(
      with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
      completionHandler(nil, request.httpMethod == "HEAD" ? URLResponse() : nil, nil)
      return URLSession.shared.dataTask(with: request)
    }
  }

  @Test func nothingAtAllIsAnUnknownError() async throws {
    let session = EmptySession()
    var request = URLRequest(url: try #require(URL(string: "data:,x")))
    let recorder = LoadRecorder()
    session.dataTaskPublisher(for: request).subscribe(recorder)
    #expect(recorder.log.value.failure?.code == .unknown)
    // A response without data is one with empty data; the answer comes before the task is there.
    request.httpMethod = "HEAD"
    let answered = LoadRecorder()
    session.dataTaskPublisher(for: request).subscribe(answered)
    #expect(answered.log.value.values.map(\.data) == [Data()])
    #expect(answered.log.value.isFinished)
  }

  @Test func aServerThatClosesInsideOfTheBodyIsAFailure() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    }
    let log = await URLSession(configuration: .ephemeral).dataTaskPublisher(for: server.url()).recorded()
    #expect(log.failure?.code == .networkConnectionLost)
    #expect(log.values.isEmpty)
  }

  @Test func anInvalidatedSessionIsAFailure() async throws {
    let session = URLSession(configuration: .ephemeral)
    session.invalidateAndCancel()
    let log = await session.dataTaskPublisher(for: try #require(URL(string: "data:,x"))).recorded()
    #expect(log.failure != nil)
  }

  @Test func theSubscriberIsCalledOnTheDelegateQueue() async throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: queue)
    let isThere = Watched(false)
    let recorder = LoadRecorder { _, _ in
      isThere.update { $0 = OperationQueue.current === queue }
      return .none
    }
    session.dataTaskPublisher(for: try #require(URL(string: "data:,x"))).subscribe(recorder)
    #expect(await recorder.end())
    #expect(isThere.value)
  }

  @Test func valuesOfAnAsyncSequence() async throws {
    let server = try await NginxServer.shared
    var bodies: [Data] = []
    for try await (data, _) in URLSession.shared.dataTaskPublisher(for: server.url()).values { bodies.append(data) }
    #expect(bodies == [DocumentRoot.small])
  }
}
