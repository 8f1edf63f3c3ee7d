import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import URLLoading

/// Loads that wait for connectivity, by a class whose network the tests switch. Serial, since many changes at once are told later.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ConnectivityTests {
  private static func client(
    _ recorder: LoadRecorder = LoadRecorder(), configure: (URLSessionConfiguration) -> Void = { _ in }
  ) -> RecordedSession {
    RecordedSession(recorder) { configuration in
      configuration.protocolClasses = [SwitchedProtocol.self]
      configuration.waitsForConnectivity = true
      configure(configuration)
    }
  }

  /// Resumes a task and brings its network up when the delegate was told that it waits.
  private func run(
    _ task: URLSessionTask, of client: RecordedSession, over network: SwitchedNetwork
  ) async -> LoadRecord {
    task.resume()
    await waits(task, client)
    network.comeUp()
    return await client.run(task)
  }

  private func waits(_ task: URLSessionTask, _ client: RecordedSession) async {
    let identifier = task.taskIdentifier
    #expect(await client.recorder.records.wait { $0[identifier]?.events.contains("waiting") == true })
  }

  // MARK: Waiting

  @Test func aTaskWaitsAndLoads() async {
    let (client, network) = (Self.client(), SwitchedNetwork())
    let task = client.session.dataTask(with: network.url)
    task.resume()
    await waits(task, client)
    #expect(task.state == .running && task.response == nil && task.error == nil)
    // A change that helps nothing.
    NetworkChanges.shared.recordChange()
    #expect(await network.waitForAttempts(2))
    network.comeUp()
    let record = await client.run(task)
    #expect(record.events == ["waiting", "response", "data", "metrics", "completion"])
    #expect(record.text == "up" && record.error == nil && record.completions == 1)
    // Only what has reached somebody counts.
    #expect(record.metrics?.transactionMetrics.count == 1)
    // The last may be stopped after the end was told.
    #expect(await network.seen.wait { $0.stops == $0.attempts })
    #expect(task.countOfBytesReceived == 2)
  }

  @Test(arguments: LoadKind.allCases) func allKindsOfTasksWait(_ kind: LoadKind) async {
    let (client, network) = (Self.client(), SwitchedNetwork())
    async let record = client.load(network.url, as: kind)
    #expect(await network.waitForAttempts(1))
    network.comeUp()
    let loaded = await record
    #expect(loaded.text == "up" && loaded.error == nil)
  }

  @Test func handlersAndStreamsWaitToo() async throws {
    let (client, network, other) = (Self.client(), SwitchedNetwork(), SwitchedNetwork())
    let handled = Watched<Data?>(nil)
    client.session.dataTask(with: network.url) { data, _, _ in handled.update { $0 = data } }.resume()
    async let bytes = client.session.bytes(from: other.url)
    #expect(await network.waitForAttempts(1))
    #expect(await other.waitForAttempts(1))
    other.seen.update { $0.isUp = true }
    network.comeUp()
    #expect(await handled.wait { $0 == Data("up".utf8) })
    var text = ""
    for try await character in try await bytes.0.characters { text.append(character) }
    #expect(text == "up")
  }

  @Test func aSessionWithoutADelegateWaits() async throws {
    let network = SwitchedNetwork()
    let session = URLSession(configuration: SwitchedNetwork.configuration())
    async let loaded = session.data(from: network.url)
    #expect(await network.waitForAttempts(1))
    network.comeUp()
    #expect(try await loaded.0 == Data("up".utf8))
    session.invalidateAndCancel()
  }

  @Test func changesDuringAnAttemptCount() async {
    let client = Self.client()
    // Without them the seventh attempt would come after a minute.
    let network = SwitchedNetwork { _ in NetworkChanges.shared.recordChange() }
    let task = client.session.dataTask(with: network.url)
    task.resume()
    #expect(await network.seen.wait(timeout: .seconds(30)) { $0.attempts >= 7 })
    network.comeUp()
    let record = await client.run(task)
    #expect(record.text == "up" && record.events.count { $0 == "waiting" } == 1)
  }

  @Test func withoutAChangeItIsTriedAfterATime() async {
    let (client, network) = (Self.client(), SwitchedNetwork())
    let task = client.session.dataTask(with: network.url)
    task.resume()
    await waits(task, client)
    // Nobody tells of it.
    network.seen.update { $0.isUp = true }
    #expect(await client.run(task).text == "up")
  }

  // MARK: Not waiting

  @Test func withoutThePropertyItFails() async {
    let network = SwitchedNetwork()
    let client = Self.client { $0.waitsForConnectivity = false }
    let record = await client.load(network.url)
    #expect(record.code == .notConnectedToInternet && record.events == ["metrics", "completion"])
    #expect(network.seen.value.attempts == 1)
  }

  /// As a test's mock is, which plays a network that is away.
  final class Undeclared: SwitchedProtocol, @unchecked Sendable {
    override class var capabilities: Capabilities { super.capabilities.subtracting(.connectivity) }
  }

  @Test func aClassThatDoesNotDeclareItFails() async {
    let network = SwitchedNetwork()
    let client = Self.client { $0.protocolClasses = [Undeclared.self] }
    let record = await client.load(network.url)
    #expect(record.code == .notConnectedToInternet && !record.events.contains("waiting"))
  }

  @Test(arguments: ["response", "challenge", "sent"]) func whatHasReachedItsPeerFails(by contact: String) async {
    let network = SwitchedNetwork { instance in
      switch contact {
      case "response": instance.respond()
      case "sent": instance.sender?.urlProtocol(instance, didSendBodyData: 1)
      default:
        let space = URLProtectionSpace(
          host: "x", port: 1, protocol: "switched", realm: nil, authenticationMethod: NSURLAuthenticationMethodDefault)
        instance.client?.urlProtocol(
          instance,
          didReceive: URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: instance))
      }
    }
    let client = Self.client()
    let record = await client.load(network.url)
    #expect(record.code == .notConnectedToInternet && !record.events.contains("waiting"))
    #expect(network.seen.value.attempts == 1)
  }

  // MARK: Ending the wait

  @Test func cancelWhileItWaits() async {
    let (client, network) = (Self.client(), SwitchedNetwork())
    let task = client.session.dataTask(with: network.url)
    task.resume()
    await waits(task, client)
    task.cancel()
    let record = await client.run(task)
    #expect(record.code == .cancelled && record.completions == 1)
    let attempts = network.seen.value.attempts
    // Another load is told of this change; the cancelled one is not.
    let other = SwitchedNetwork()
    #expect(await run(client.session.dataTask(with: other.url), of: client, over: other).text == "up")
    #expect(network.seen.value.attempts == attempts)
  }

  @Test func aTaskOfALoadIsCancelledWhileItWaits() async {
    let (client, network) = (Self.client(), SwitchedNetwork())
    let loading = Task { try await client.session.data(from: network.url) }
    #expect(await network.waitForAttempts(1))
    loading.cancel()
    let error = await #expect(throws: URLError.self) { try await loading.value }
    #expect(error?.code == .cancelled)
  }

  @Test func suspendWhileItWaits() async {
    let (client, network) = (Self.client(), SwitchedNetwork())
    let task = client.session.dataTask(with: network.url)
    task.resume()
    await waits(task, client)
    task.suspend()
    let attempts = network.seen.value.attempts
    let other = SwitchedNetwork()
    network.seen.update { $0.isUp = true }
    #expect(await run(client.session.dataTask(with: other.url), of: client, over: other).text == "up")
    #expect(network.seen.value.attempts == attempts && task.state == .suspended)
    let record = await client.run(task)
    #expect(record.text == "up" && record.completions == 1)
  }

  @Test func onlyTheResourceTimeoutEndsAWait() async {
    let network = SwitchedNetwork()
    let client = Self.client { configuration in
      configuration.timeoutIntervalForRequest = 0.1
      configuration.timeoutIntervalForResource = 0.8
    }
    let start = ContinuousClock.now
    let record = await client.load(network.url)
    #expect(record.code == .timedOut && record.events == ["waiting", "metrics", "completion"])
    #expect(record.error?.localizedDescription.contains("0.8 s") == true)
    #expect(ContinuousClock.now - start >= .milliseconds(790))
  }

  @Test func aSessionThatIsInvalidatedDoesNotWait() async {
    let (client, network) = (Self.client(), SwitchedNetwork())
    let task = client.session.dataTask(with: network.url)
    task.resume()
    await waits(task, client)
    client.session.invalidateAndCancel()
    #expect(await client.run(task).code == .cancelled)
  }

  @Test func aThousandWaitAtOnce() async {
    let (client, network) = (Self.client(), SwitchedNetwork())
    let count = 1000
    let tasks = (0..<count).map { _ in client.session.dataTask(with: network.url) }
    for task in tasks { task.resume() }
    #expect(await client.recorder.records.wait { $0.values.count { $0.events.contains("waiting") } == count })
    network.comeUp()
    #expect(await client.recorder.records.wait { $0.values.count { $0.completions == 1 } == count })
    #expect(client.recorder.records.value.values.allSatisfy { $0.text == "up" && $0.error == nil })
  }

  // MARK: Bodies and redirects

  enum Body: CaseIterable { case data, file, unopenedStream, streamOfDelegate, openedStream }

  @Test(arguments: Body.allCases) func theBodyIsWhole(_ kind: Body) async throws {
    let body = Data("a body that is sent once".utf8)
    let folder = try TemporaryDirectory("connectivity")
    let file = try folder.write("body", body)
    let network = SwitchedNetwork { instance in
      guard kind == .openedStream, case .stream(let stream, _) = instance.sender?.urlProtocolUploadBody(instance)
      else { return }
      var byte: UInt8 = 0
      stream.open()
      _ = stream.read(&byte, maxLength: 1)
    }
    let client = Self.client(LoadRecorder(onStream: { _ in InputStream(data: body) }))
    var request = URLRequest(url: network.url)
    request.httpMethod = "PUT"
    let session = client.session
    let task: URLSessionTask
    switch kind {
    case .data: task = session.uploadTask(with: request, from: body)
    case .file: task = session.uploadTask(with: request, fromFile: file)
    case .streamOfDelegate: task = session.uploadTask(withStreamedRequest: request)
    case .unopenedStream, .openedStream:
      request.httpBodyStream = InputStream(data: body)
      task = session.uploadTask(withStreamedRequest: request)
    }
    let record = await run(task, of: client, over: network)
    #expect(record.error == nil && network.seen.value.body == body)
    // At least once: a change that helped nothing may have come between.
    #expect(kind == .openedStream ? record.streams >= 1 : record.streams == (kind == .streamOfDelegate ? 1 : 0))
    #expect(task.countOfBytesSent == Int64(body.count))
  }

  @Test func withoutAnotherStreamTheLoadFails() async {
    let network = SwitchedNetwork { instance in
      if case .stream(let stream, _) = instance.sender?.urlProtocolUploadBody(instance) { stream.open() }
    }
    let client = Self.client()
    var request = URLRequest(url: network.url)
    request.httpMethod = "PUT"
    request.httpBodyStream = InputStream(data: Data("x".utf8))
    let record = await run(client.session.uploadTask(withStreamedRequest: request), of: client, over: network)
    #expect(record.code == .requestBodyStreamExhausted && record.completions == 1)
  }

  @Test func whereARedirectLeadsIsWaitedFor() async {
    let target = SwitchedNetwork()
    let fake = Fake { $0.redirect(to: target.url) }
    let client = Self.client { $0.protocolClasses = [FakeProtocol.self, SwitchedProtocol.self] }
    let task = client.session.dataTask(with: fake.url())
    let record = await run(task, of: client, over: target)
    #expect(record.text == "up" && record.events.prefix(2) == ["redirect", "waiting"])
    #expect(record.metrics?.redirectCount == 1 && record.metrics?.transactionMetrics.count == 2)
    #expect(task.currentRequest?.url == target.url)
  }

  @Test func cookiesAreThoseOfTheAttempt() async throws {
    let (client, network) = (Self.client(), SwitchedNetwork())
    let storage = try #require(client.session.configuration.httpCookieStorage)
    let host = try #require(network.url.host())
    func set(_ value: String) throws {
      let cookie = HTTPCookie(properties: [.name: "n", .value: value, .domain: host, .path: "/"])
      storage.setCookie(try #require(cookie))
    }
    try set("old")
    let task = client.session.dataTask(with: network.url)
    task.resume()
    await waits(task, client)
    try set("new")
    network.comeUp()
    _ = await client.run(task)
    #expect(task.currentRequest?.value(forHTTPHeaderField: "Cookie") == "n=new")
  }

  // MARK: Delegates

  /// Implements nothing of it.
  final class Silent: NSObject, URLSessionTaskDelegate, Sendable {}

  final class Told: NSObject, URLSessionTaskDelegate, Sendable {
    let count = Watched(0)
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
      count.update { $0 += 1 }
    }
  }

  @Test(arguments: [false, true]) func theTasksDelegateIsToldFirst(isImplemented: Bool) async {
    let (client, network, told) = (Self.client(), SwitchedNetwork(), Told())
    let own: any URLSessionTaskDelegate = isImplemented ? told : Silent()
    let task = client.session.dataTask(with: network.url)
    task.delegate = own
    task.resume()
    if isImplemented { #expect(await told.count.wait { $0 == 1 }) } else { await waits(task, client) }
    network.comeUp()
    let record = await client.run(task)
    #expect(record.events.contains("waiting") != isImplemented)
    #expect(told.count.value == (isImplemented ? 1 : 0))
  }
}
