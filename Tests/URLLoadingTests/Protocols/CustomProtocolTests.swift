import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct CustomProtocolTests {
  @Test(arguments: TaskKind.allCases) func allPiecesReachEveryKindOfTask(_ kind: TaskKind) async {
    let fake = Fake(["one ", "two ", "three"])
    let record = await RecordedSession.fake().load(fake.url(), by: kind)
    #expect(record.text == "one two three")
    #expect(record.error == nil)
    #expect(record.response?.mimeType == "text/plain")
    #expect(record.completions == 1)
    #expect(await fake.waitForStops())
    #expect(fake.seen.value.stops == 1)
  }

  @Test(arguments: TaskKind.allCases) func anErrorAfterTheResponseKeepsTheResponse(_ kind: TaskKind) async {
    let fake = Fake { instance in
      instance.respond(length: 100)
      instance.send(Data("part".utf8))
      instance.fail(URLError(.cannotParseResponse))
    }
    let session = RecordedSession.fake()
    let record = await session.load(fake.url(), by: kind)
    #expect(record.code == .cannotParseResponse)
    let throwing: [TaskKind] = [.dataAsync, .downloadAsync, .bytes]
    if !throwing.contains(kind) { #expect(record.response?.expectedContentLength == 100) }
    #expect(await fake.waitForStops())
    #expect(fake.seen.value.stops == 1)
  }

  @Test func stopLoadingIsCalledOnceAfterACancel() async {
    let started = AsyncEvent()
    let fake = Fake { instance in
      instance.respond()
      started.signal()
    }
    let session = RecordedSession.fake()
    let task = session.session.dataTask(with: fake.url())
    task.resume()
    #expect(await started.wait())
    task.cancel()
    task.cancel()
    #expect(await session.run(task).code == .cancelled)
    #expect(await fake.waitForStops())
    #expect(fake.seen.value.stops == 1)
  }

  @Test func aForeignErrorArrivesAsItIs() async {
    struct Odd: Error, Equatable { var number = 7 }
    let fake = Fake { $0.fail(Odd()) }
    #expect(await RecordedSession.fake().load(fake.url()).error as? Odd == Odd())
  }

  @Test func eventsOutOfOrderFailTheLoad() async {
    let session = RecordedSession.fake()
    let late = Fake { instance in
      instance.respond()
      instance.redirect(to: URL(stringLiteral: "fake://elsewhere/"))
    }
    #expect(await session.load(late.url()).code == .badServerResponse)
    let twice = Fake { instance in
      instance.respond()
      instance.respond()
      instance.finish()
    }
    #expect(await session.load(twice.url()).code == .badServerResponse)
  }

  @Test(arguments: TaskKind.allCases) func dataAheadOfItsResponseIsHeldUntilThen(_ kind: TaskKind) async {
    let fake = Fake { instance in
      instance.send(Data("one ".utf8))
      instance.send(Data("two ".utf8))
      instance.respond(length: 13)
      instance.send(Data("three".utf8))
      instance.finish()
    }
    let record = await RecordedSession.fake().load(fake.url(), by: kind)
    #expect(record.text == "one two three" && record.error == nil && record.response?.expectedContentLength == 13)
    if kind == .dataDelegate { #expect(record.events.first == "response") }
  }

  @Test(arguments: [TaskKind.dataDelegate, .dataHandler, .downloadDelegate, .downloadHandler], ["", "body"])
  func aFinishWithoutAResponseIsAnEndWithoutAnError(_ kind: TaskKind, _ body: String) async {
    let fake = Fake { instance in
      if !body.isEmpty { instance.send(Data(body.utf8)) }
      instance.finish()
    }
    let record = await RecordedSession.fake().load(fake.url(), by: kind)
    #expect(record.error == nil && record.text == body && record.response == nil && record.completions == 1)
  }

  @Test(arguments: [TaskKind.dataAsync, .downloadAsync, .bytes])
  func aFunctionThatReturnsAResponseThrowsWithoutOne(_ kind: TaskKind) async {
    let fake = Fake { instance in
      instance.send(Data("body".utf8))
      instance.finish()
    }
    #expect(await RecordedSession.fake().load(fake.url(), by: kind).code == .badServerResponse)
  }

  @Test(arguments: TaskKind.allCases) func aFailureAfterDataWithoutAResponseIsTheError(_ kind: TaskKind) async {
    let fake = Fake { instance in
      instance.send(Data("body".utf8))
      instance.fail(URLError(.cannotParseResponse))
    }
    let record = await RecordedSession.fake().load(fake.url(), by: kind)
    #expect(record.code == .cannotParseResponse && record.completions == 1)
    if kind == .dataDelegate { #expect(record.text == "body") }
  }

  @Test(arguments: TaskKind.allCases) func notMoreIsHeldThanATaskMayHaveWaiting(_ kind: TaskKind) async {
    let sent = Watched(0)
    let fake = Fake { instance in
      for _ in 0..<64 {
        instance.send(Data(count: 4096))
        sent.update { $0 += 1 }
      }
    }
    let session = RecordedSession.fake { $0.maximumBufferedBytesPerTask = 64 << 10 }
    let record = await session.load(fake.url(), by: kind)
    #expect(record.code == .badServerResponse)
    #expect(record.error?.localizedDescription.contains("65536 bytes") == true)
  }

  @Test func whatComesAfterTheEndIsIgnored() async {
    let fake = Fake { instance in
      instance.respond()
      instance.send(Data("body".utf8))
      instance.finish()
      instance.send(Data("late".utf8))
      instance.fail(URLError(.unknown))
      instance.finish()
      instance.redirect(to: URL(stringLiteral: "fake://elsewhere/"))
    }
    let record = await RecordedSession.fake().load(fake.url())
    #expect(record.text == "body" && record.error == nil && record.completions == 1)
  }

  @Test func additionalHeadersAndOwnOnesAreVisible() async {
    let fake = Fake(["x"])
    let session = RecordedSession.fake {
      $0.httpAdditionalHeaders = ["X-Session": "session", "X-Both": "session", "X-Number": 7]
    }
    var request = URLRequest(url: fake.url())
    request.setValue("request", forHTTPHeaderField: "x-both")
    _ = await session.load(request)
    let seen = fake.seen.value.requests.first
    #expect(seen?.value(forHTTPHeaderField: "X-Session") == "session")
    #expect(seen?.value(forHTTPHeaderField: "X-Both") == "request")
    #expect(seen?.value(forHTTPHeaderField: "X-Number") == "7")
  }

  @Test(arguments: UploadKind.allCases) func uploadBodiesAreVisible(_ kind: UploadKind) async throws {
    let body = TestFiles.pattern(count: 100_000)
    let fake = Fake { instance in
      instance.respond()
      instance.send(instance.readBody() ?? Data("none".utf8))
      instance.finish()
    }
    let record = try await RecordedSession.fake().upload(body, to: URLRequest(url: fake.url()), by: kind)
    #expect(difference(record.body, from: body) == nil)
  }

  @Test func theBodyOfADataTaskIsVisible() async {
    let fake = Fake { instance in
      instance.respond()
      instance.send(instance.readBody() ?? Data("none".utf8))
      instance.finish()
    }
    var request = URLRequest(url: fake.url())
    request.httpMethod = "POST"
    request.httpBody = Data("posted".utf8)
    #expect(await RecordedSession.fake().load(request, by: .dataHandler).text == "posted")
    request.httpBodyStream = InputStream(data: Data("streamed".utf8))
    #expect(await RecordedSession.fake().load(request, by: .dataDelegate).text == "streamed")
  }

  @Test func propertiesOfARequestReachTheInstance() async throws {
    let fake = Fake { instance in
      instance.respond()
      instance.send(Data(((URLProtocol.property(forKey: "key", in: instance.request) as? String) ?? "none").utf8))
      instance.finish()
    }
    let mutable = NSMutableURLRequest(url: fake.url())
    URLProtocol.setProperty("kept", forKey: "key", in: mutable)
    let request = mutable as URLRequest
    #expect(URLProtocol.property(forKey: "key", in: request) as? String == "kept")
    #expect(await RecordedSession.fake().load(request).text == "kept")
  }

  @Test func aProtocolMayLoadThroughAnotherSessionInsideStartLoading() async throws {
    let url = try await NginxServer.shared.url("/small.txt")
    let fake = Fake { instance in
      let inner = RecordedSession()
      let body = Watched<Data?>(nil)
      inner.session.dataTask(with: url) { data, _, _ in body.update { $0 = data ?? Data() } }.resume()
      guard body.waitBlocking(until: { $0 != nil }) else { return instance.fail(URLError(.timedOut)) }
      instance.respond()
      instance.send(body.value ?? Data())
      instance.finish()
    }
    let record = await RecordedSession.fake().load(fake.url())
    #expect(record.body == DocumentRoot.small)
  }

  @Test func aProtocolMayLoadThroughItsOwnSessionInsideStartLoading() async throws {
    let url = try await NginxServer.shared.url("/small.txt")
    let fake = Fake { instance in
      let body = Watched<Data?>(nil)
      let session = (instance.client as? any URLProtocolSessionClient)?.session
      session?.dataTask(with: url) { data, _, _ in body.update { $0 = data } }.resume()
      guard body.waitBlocking(until: { $0 != nil }) else { return instance.fail(URLError(.timedOut)) }
      instance.respond()
      instance.send(body.value ?? Data())
      instance.finish()
    }
    #expect(await RecordedSession.fake().load(fake.url()).body == DocumentRoot.small)
  }

  @Test func aProtocolThatSleepsStallsNobody() async throws {
    let release = AsyncEvent()
    let sleeping = Fake { instance in
      _ = release.waitBlocking(timeout: .seconds(20))
      instance.respond()
      instance.finish()
    }
    let session = RecordedSession.fake()
    let tasks = (0..<30).map { _ in session.session.dataTask(with: sleeping.url()) }
    for task in tasks { task.resume() }
    #expect(await sleeping.seen.wait { $0.requests.count == 30 })
    let quick = Fake(["quick"])
    #expect(await session.load(quick.url()).text == "quick")
    #expect(await RecordedSession.fake().load(quick.url()).text == "quick")
    #expect(await session.load(try await NginxServer.shared.url()).body == DocumentRoot.small)
    #expect(await session.load("data:,x" as URL).text == "x")
    release.signal()
    for task in tasks { #expect(await session.run(task).error == nil) }
  }

  @Test func aProducerInsideStartLoadingIsHeldBack() async {
    let sent = Watched(0)
    let size = 64 << 20
    let fake = Fake { instance in
      instance.respond(length: size)
      let piece = Data(count: 64 << 10)
      for _ in 0..<(size / piece.count) {
        instance.send(piece)
        sent.update { $0 += piece.count }
      }
      instance.finish()
    }
    let session = RecordedSession.fake()
    let task = session.session.downloadTask(with: fake.url())
    let held = HoldingDelegate()
    let slow = URLSession(
      configuration: session.session.configuration, delegate: held, delegateQueue: nil)
    defer { slow.invalidateAndCancel() }
    let slowTask = slow.dataTask(with: fake.url())
    slowTask.resume()
    #expect(await held.received.wait { $0 > 0 })
    // The delegate holds its queue; the producer fills the buffer and is held back in turn.
    #expect(await sent.wait { $0 >= 900_000 })
    #expect(await !sent.wait(timeout: .milliseconds(300)) { $0 > 4 << 20 })
    held.release.signal()
    #expect(await held.received.wait(timeout: .seconds(20)) { $0 == size })
    #expect(await session.run(task).body.count == size)
  }

  @Test func aSuspendedTaskHoldsItsProducerBack() async {
    let sent = Watched(0)
    let fake = Fake { instance in
      instance.respond(length: 1000)
      for _ in 0..<1000 {
        instance.send(Data("x".utf8))
        sent.update { $0 += 1 }
        if instance.task?.taskDescription == nil { instance.task?.suspend() }
        instance.task?.taskDescription = "suspended once"
      }
      instance.finish()
    }
    let session = RecordedSession.fake()
    let task = session.session.dataTask(with: fake.url())
    task.resume()
    #expect(await sent.wait { $0 > 0 })
    #expect(await !sent.wait(timeout: .milliseconds(200)) { $0 == 1000 })
    #expect(task.state == .suspended)
    #expect(await session.run(task).body.count == 1000)
  }
}

/// A data delegate that keeps its queue busy at the first bytes until it is released.
private final class HoldingDelegate: NSObject, URLSessionDataDelegate, Sendable {
  let received = Watched(0)
  let release = AsyncEvent()

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    received.update { $0 += data.count }
    _ = release.waitBlocking(timeout: .seconds(20))
  }
}
