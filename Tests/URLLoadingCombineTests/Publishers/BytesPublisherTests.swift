import Foundation
import Testing
import URLLoading
import URLLoadingCombine
import URLLoadingTestServers

/// A body piece by piece, as it is demanded.
@Suite(.timeLimit(.minutes(4))) struct BytesPublisherTests {
  @Test func publishesTheWholeBodyWithTheResponse() async throws {
    let server = try await NginxServer.shared
    let log = await URLSession.shared.bytesPublisher(for: server.url("/large.bin")).recorded()
    #expect(log.isFinished && log.completions.count == 1)
    #expect(log.values.reduce(0) { $0 + $1.data.count } == DocumentRoot.largeSize)
    #expect(log.values.allSatisfy { ($0.response as? HTTPURLResponse)?.statusCode == 200 && !$0.data.isEmpty })
    let body = log.values.reduce(into: Data()) { $0.append($1.data) }
    #expect(try body == Data(contentsOf: server.documentRoot.appending(path: "large.bin")))
  }

  @Test func anEmptyBodyIsOneEmptyPiece() async throws {
    let server = try await NginxServer.shared
    let log = await URLSession.shared.bytesPublisher(for: server.url("/empty.bin")).recorded()
    #expect(log.values.map(\.data) == [Data()])
    #expect(log.isFinished)
  }

  @Test func withoutADemandNothingIsLoaded() async throws {
    let server = try await NginxServer.shared
    let (session, counter) = TaskCounter.session()
    let recorder = LoadRecorder(demand: .none)
    session.bytesPublisher(for: server.url()).subscribe(recorder)
    recorder.request(.none)
    #expect(counter.made.value == 0)
    recorder.request(.max(1))
    #expect(await recorder.values(1))
    #expect(counter.made.value == 1)
  }

  /// Sends a chunk for each that is asked for, so that none are joined, and then ends.
  private func server(_ sends: Watched<Int>, chunks: Int) throws -> ScriptedServer {
    try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for number in 1...chunks {
        guard sends.waitBlocking(until: { $0 >= number }) else { return }
        try connection.sendChunk(Data("\(number)".utf8))
      }
      guard sends.waitBlocking(until: { $0 > chunks }) else { return }
      try connection.sendChunk(Data())
    }
  }

  @Test func oneIsDemandedAndOneComes() async throws {
    let sends = Watched(1)
    let server = try server(sends, chunks: 3)
    let recorder = LoadRecorder(demand: .max(1))
    URLSession(configuration: .ephemeral).bytesPublisher(for: server.url()).subscribe(recorder)
    for number in 1...3 {
      #expect(await recorder.values(number))
      #expect(recorder.log.value.values.map { String(decoding: $0.data, as: UTF8.self) }.last == "\(number)")
      #expect(recorder.log.value.values.count == number)
      sends.update { $0 += 1 }
      if number < 3 { recorder.request(.max(1)) }
    }
    // The end is told though nothing is demanded.
    #expect(await recorder.end())
    #expect(recorder.log.value.isFinished)
  }

  @Test func whatIsReturnedIsDemandedToo() async throws {
    let server = try await NginxServer.shared
    let recorder = LoadRecorder(demand: .max(1)) { recorder, value in
      // Both ways at once, which comes to two.
      recorder.request(.max(1))
      return .max(1)
    }
    URLSession.shared.bytesPublisher(for: server.url("/large.bin")).subscribe(recorder)
    #expect(await recorder.end())
    #expect(recorder.log.value.values.reduce(0) { $0 + $1.data.count } == DocumentRoot.largeSize)
  }

  @Test func piecesBeforeAFailureAreDelivered() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    }
    let log = await URLSession(configuration: .ephemeral).bytesPublisher(for: server.url()).recorded()
    #expect(log.values.map(\.data) == [Data("half".utf8)])
    #expect(log.failure?.code == .networkConnectionLost)
  }

  @Test func aFailureBeforeTheResponse() async throws {
    for (host, code) in [("other", URLError.Code.cannotFindHost), ("foreign", .unknown)] {
      let url = try #require(URL(string: "scripted://\(host)/"))
      let log = await ScriptedProtocol.session.bytesPublisher(for: url).recorded()
      #expect(log.failure?.code == code)
    }
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
    session.bytesPublisher(for: try #require(URL(string: "data:,x"))).subscribe(recorder)
    #expect(await recorder.end())
    #expect(isThere.value)
  }
}
