import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// Listeners that act on the load, many loads at a time, pauses and retries.
@Suite(.timeLimit(.minutes(4))) struct EventFlowTests {
  /// The events at which a load with a redirect, a challenge and a body can be cancelled.
  @Test(arguments: [
    "begin", "choose /redirect/302", "enter queue", "leave queue", "lookup", "connect", "send", "redirect /small.txt",
    "finish network 302", "choose /small.txt", "response 200", "body", "finish network 200",
  ])
  func aListenerMayCancel(at step: String) async throws {
    let server = try await NginxServer.shared
    let recorder = EventRecorder(wantsBodies: true) { event, task in if event == step { task.cancel() } }
    let ended = Watched<[URLError.Code?]>([])
    let task = recorder.session().dataTask(with: server.url("/redirect/302?to=/small.txt")) { _, _, error in
      ended.update { $0.append((error as? URLError)?.code) }
    }
    task.resume()
    #expect(await recorder.waitForEnd(), "\(recorder.events())")
    #expect(await ended.wait { !$0.isEmpty })
    let events = recorder.events()
    #expect(events.contains(step), "\(events)")
    #expect(events.last == "end cancelled", "\(events)")
    #expect(ended.value == [.cancelled])
    #expect(events.count { $0.hasPrefix("end") } == 1)
    #expect(recorder.log.value.overlaps.isEmpty)
  }

  /// The same of a load that asks for a login.
  @Test(arguments: ["challenge", "answer -", "response 401", "finish network 401"])
  func aListenerMayCancelALogin(at step: String) async throws {
    let server = try await AuthServer.shared
    let recorder = EventRecorder { event, task in if event == step { task.cancel() } }
    recorder.session().dataTask(with: server.url("/basic")).resume()
    #expect(await recorder.waitForEnd(), "\(recorder.events())")
    #expect(recorder.events().contains(step) && recorder.events().last == "end cancelled", "\(recorder.events())")
  }

  /// The same of loads that a cache answers: the first stores, the second is validated.
  @Test(arguments: [
    "miss nothing-stored", "store", "validate no-cache", "validated 304", "finish network 304", "finish cache 200",
  ])
  func aListenerMayCancelACachedLoad(at step: String) async throws {
    let server = try ScriptedServer.http { request in
      request.fields["If-None-Match"] == nil
        ? HTTPResponse(fields: ["ETag": "\"v\"", "Cache-Control": "no-cache"], text: "body") : HTTPResponse(304)
    }
    let recorder = EventRecorder { event, task in if event == step { task.cancel() } }
    let session = recorder.session(cache: URLCache(memoryCapacity: 1_000_000, diskCapacity: 0))
    for _ in 0..<2 { _ = try? await session.data(from: server.url("/a")) }
    let cancelled = recorder.log.value.events.values.filter { $0.contains(step) }
    #expect(!cancelled.isEmpty && cancelled.allSatisfy { $0.last == "end cancelled" }, "\(cancelled)")
    #expect(recorder.log.value.overlaps.isEmpty)
  }

  @Test func aTaskThatIsCancelledBeforeItBegins() async throws {
    let recorder = EventRecorder()
    let task = recorder.session().dataTask(with: Fake(["x"]).url())
    task.cancel()
    #expect(await recorder.waitForEnd())
    #expect(recorder.events() == ["begin", "end cancelled"])
  }

  @Test func aThousandAtOnce() async throws {
    let recorder = EventRecorder()
    let session = recorder.session()
    let fake = Fake(["x"])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<1000 { group.addTask { _ = try? await session.data(from: fake.url()) } }
    }
    let log = recorder.log.value
    #expect(log.events.count == 1000 && log.overlaps.isEmpty)
    let expected = ["begin", "choose /", "response other", "finish network other", "end"]
    #expect(log.events.values.allSatisfy { $0 == expected })
  }

  @Test func theEndIsToldBeforeTheProgramHearsOfIt() async throws {
    let recorder = EventRecorder()
    let session = recorder.session()
    let fake = Fake(["x"])
    let (data, _) = try await session.data(from: fake.url())
    #expect(data.count == 1 && recorder.events().last == "end")
    let seen = Watched<String?>(nil)
    session.dataTask(with: fake.url()) { _, _, _ in seen.update { $0 = recorder.events(of: 2).last } }.resume()
    #expect(await seen.wait { $0 != nil })
    #expect(seen.value == "end")
    let (bytes, _) = try await session.bytes(from: fake.url())
    for try await _ in bytes {}
    #expect(recorder.events(of: 3).last == "end")
  }

  @Test func aTaskIsReleasedWithItsEnd() async throws {
    let recorder = EventRecorder()
    let session = recorder.session()
    weak var released: URLSessionTask?
    do {
      let task = session.dataTask(with: Fake(["x"]).url())
      released = task
      task.resume()
    }
    #expect(await recorder.waitForEnd())
    #expect(try await eventually { released == nil })
  }

  @Test func suspensionsAreToldOnce() async throws {
    let recorder = EventRecorder()
    let instance = Watched<FakeProtocol?>(nil)
    let fake = Fake { started in instance.update { $0 = started } }
    let task = recorder.session().dataTask(with: fake.url())
    task.resume()
    #expect(await instance.wait { $0 != nil })
    task.suspend()
    task.suspend()
    task.resume()
    task.resume()
    task.cancel()
    #expect(await recorder.waitForEnd())
    #expect(recorder.events().filter { $0.contains("suspended") } == ["pause suspended", "resume suspended"])
  }

  @Test func slowConsumersPause() async throws {
    let recorder = EventRecorder()
    let fake = Fake(Array(repeating: String(repeating: "x", count: 100), count: 20))
    let session = recorder.session { $0.maximumBufferedBytesPerTask = 300 }
    let (bytes, _) = try await session.bytes(from: fake.url())
    #expect(await recorder.log.wait { $0.events[1]?.contains("pause slow-consumer") == true })
    var count = 0
    for try await _ in bytes { count += 1 }
    #expect(count == 2000)
    #expect(await recorder.waitForEnd())
    let flow = recorder.events().filter { $0.contains("slow-consumer") }
    // The last pause may last to the end, where nothing is left to resume.
    for (index, event) in flow.enumerated() { #expect(event.hasPrefix(index.isMultiple(of: 2) ? "pause" : "resume")) }
    #expect(flow.count > 1)
  }

  /// Finds no network at its first attempt.
  private final class LateProtocol: URLProtocol {
    static let attempts = Watched(0)

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "late" }
    override class var capabilities: Capabilities { [.connectivity] }
    override func stopLoading() {}

    override func startLoading() {
      let number = Self.attempts.update {
        $0 += 1
        return $0
      }
      guard number > 1, let url = request.url else {
        client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet))
        return
      }
      (client as? any URLProtocolSessionClient)?.urlProtocol(self, willRetryAfter: URLError(.networkConnectionLost))
      let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocolDidFinishLoading(self)
    }
  }

  /// libcurl sends a request again by itself where a kept connection turns out to have ended.
  @Test func aRequestThatIsSentAgain() async throws {
    let isLost = Watched(false)
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let isFirst = isLost.update { isLost in
          guard request.target == "/b", !isLost else { return false }
          isLost = true
          return true
        }
        if isFirst { return }
        try connection.send(HTTPResponse(text: "x"), to: request)
      }
    }
    let recorder = EventRecorder()
    let session = recorder.session()
    for path in ["/a", "/b"] { _ = try await session.data(from: server.url(path)) }
    #expect(server.requests.map(\.target) == ["/a", "/b", "/b"])
    #expect(!recorder.events().contains("retry connection-lost"))
    #expect(recorder.events(of: 2).filter { $0 == "retry connection-lost" }.count == 1, "\(recorder.events(of: 2))")
  }

  @Test func retries() async throws {
    let recorder = EventRecorder()
    let session = recorder.session {
      $0.protocolClasses = [LateProtocol.self]
      $0.waitsForConnectivity = true
    }
    _ = try await session.data(from: URL(stringLiteral: "late://host/x"))
    #expect(
      recorder.events() == [
        "begin", "choose /x", "wait for connectivity", "retry network-changed", "choose /x", "retry connection-lost",
        "response other", "finish network other", "end",
      ])
  }

  @Test func severalListeners() async throws {
    let (first, second) = (EventRecorder(), EventRecorder(wantsBodies: true))
    let fake = Fake(["x"])
    let session = first.session { $0.sessionEventListener = URLSession.EventForwarder([first, second]) }
    _ = try await session.data(from: fake.url())
    #expect(first.events() == ["begin", "choose /", "response other", "finish network other", "end"])
    #expect(second.events() == ["begin", "choose /", "response other", "body", "finish network other", "end"])
  }

  /// Every event of a session, by the forwarder and alone.
  @Test func theForwarderForwardsEverything() async throws {
    let (direct, forwarded) = (EventRecorder(), EventRecorder())
    let task = URLSession.shared.dataTask(with: URL(stringLiteral: "data:,x"))
    let forwarder = URLSession.EventForwarder([forwarded])
    for event in try LoadEventSamples.all() {
      event.report(to: direct, of: task)
      event.report(to: forwarder, of: task)
    }
    #expect(direct.events(of: task.taskIdentifier).count == LoadEventSamples.count)
    #expect(direct.log.value.events == forwarded.log.value.events)
  }
}
