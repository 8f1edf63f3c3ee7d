import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite(.timeLimit(.minutes(4))) struct TaskHintsTests {
  /// Writes down the pieces of the body, and the end.
  private final class Pieces: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    let calls = Watched<[String]>([])
    let disposition: URLSession.ResponseDisposition
    init(_ disposition: URLSession.ResponseDisposition = .allow) { self.disposition = disposition }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      calls.update { $0.append("response") }
      completionHandler(disposition)
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      calls.update { $0.append(String(decoding: data, as: UTF8.self)) }
    }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
      calls.update { $0.append("file " + ((try? String(contentsOf: location, encoding: .utf8)) ?? "")) }
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      calls.update { $0.append(error == nil ? "completion" : "failure") }
    }

    func ended() async -> [String] {
      #expect(await calls.wait { $0.last == "completion" || $0.last == "failure" })
      return calls.value
    }
  }

  private func start(_ delegate: Pieces, isIncremental: Bool) async throws -> (URLSessionDataTask, Puppet) {
    let session = URLSession(configuration: Puppet.configuration(), delegate: delegate, delegateQueue: nil)
    let url = Puppet.freshURL()
    let task = session.dataTask(with: url)
    #expect(task.prefersIncrementalDelivery)
    task.prefersIncrementalDelivery = isIncremental
    task.resume()
    session.finishTasksAndInvalidate()
    return (task, try #require(await Puppet.of(url.host() ?? "")))
  }

  @Test func aBodyThatIsWantedWholeComesInOneCall() async throws {
    let delegate = Pieces()
    let (task, puppet) = try await start(delegate, isIncremental: false)
    #expect(!task.prefersIncrementalDelivery)
    puppet.respond()
    puppet.send("one ")
    #expect(await delegate.calls.wait { $0 == ["response"] })
    // More than may wait for a delegate that takes pieces: this one waits for the end.
    puppet.send(Data(repeating: UInt8(ascii: "x"), count: 3 << 20))
    puppet.send(" two")
    #expect(!puppet.calls.value.contains("pause"))
    #expect(delegate.calls.value == ["response"])
    puppet.finish()
    let calls = await delegate.ended()
    #expect(calls.count == 3 && calls.first == "response" && calls.last == "completion")
    #expect(calls[1].utf8.count == (3 << 20) + 8 && calls[1].hasPrefix("one x") && calls[1].hasSuffix("x two"))
    #expect(task.countOfBytesReceived == (3 << 20) + 8)
  }

  @Test func aBodyComesInPiecesOtherwise() async throws {
    let delegate = Pieces()
    let (_, puppet) = try await start(delegate, isIncremental: true)
    puppet.respond()
    puppet.send("one")
    #expect(await delegate.calls.wait { $0 == ["response", "one"] })
    puppet.send("two")
    puppet.finish()
    #expect(await delegate.ended() == ["response", "one", "two", "completion"])
  }

  @Test func noPartOfABodyThatBrokeOffIsGiven() async throws {
    let delegate = Pieces()
    let (_, puppet) = try await start(delegate, isIncremental: false)
    puppet.respond()
    puppet.send("one")
    puppet.client?.urlProtocol(puppet, didFailWithError: URLError(.networkConnectionLost))
    #expect(await delegate.ended() == ["response", "failure"])
  }

  @Test func anEmptyBodyIsNoCall() async throws {
    let delegate = Pieces()
    let (_, puppet) = try await start(delegate, isIncremental: false)
    puppet.respond()
    puppet.finish()
    #expect(await delegate.ended() == ["response", "completion"])
  }

  @Test func aSecondResponseOfAClassIsAnError() async throws {
    let delegate = Pieces()
    let (_, puppet) = try await start(delegate, isIncremental: false)
    puppet.respond()
    // An error overtakes calls that wait for the delegate.
    #expect(await delegate.calls.wait { $0 == ["response"] })
    puppet.send("a")
    puppet.respond()
    puppet.send("b")
    puppet.finish()
    #expect(await delegate.ended() == ["response", "failure"])
  }

  @Test func aTaskThatBecomesADownloadTakesWhatCame() async throws {
    let delegate = Pieces(.becomeDownload)
    let (_, puppet) = try await start(delegate, isIncremental: false)
    puppet.respond()
    puppet.send("one ")
    puppet.send("two")
    puppet.finish()
    let calls = await delegate.ended()
    #expect(calls == ["response", "file one two", "completion"], "\(calls)")
  }

  /// The end of the body and the change of the task may come at once.
  @Test(arguments: 0..<4) func noByteIsLostWhereATaskBecomesADownloadAtItsEnd(_: Int) async throws {
    for _ in 0..<500 { try await aTaskThatBecomesADownloadTakesWhatCame() }
  }

  @Test func onlyDelegatesOfDataTasksGetPieces() async throws {
    let session = URLSession(configuration: .ephemeral)
    let url = URL(stringLiteral: "data:,x")
    #expect(session.uploadTask(with: URLRequest(url: url), from: Data()).prefersIncrementalDelivery)
    #expect(!session.downloadTask(with: url).prefersIncrementalDelivery)
    #expect(!session.dataTask(with: url) { _, _, _ in }.prefersIncrementalDelivery)
    #expect(try await session.bytes(from: url).0.task.prefersIncrementalDelivery)
    #expect(!URLSessionTask().prefersIncrementalDelivery)
  }

  // MARK: For background sessions

  @Test func hintsAreKeptAndHaveNoEffectOnOtherSessions() async throws {
    let recorded = RecordedSession()
    let task = recorded.session.dataTask(with: "data:,x")
    #expect(task.earliestBeginDate == nil)
    #expect(task.countOfBytesClientExpectsToSend == NSURLSessionTransferSizeUnknown)
    #expect(task.countOfBytesClientExpectsToReceive == -1)
    let date = Date(timeIntervalSinceNow: 1_000_000)
    task.earliestBeginDate = date
    task.countOfBytesClientExpectsToSend = 5
    task.countOfBytesClientExpectsToReceive = 7
    #expect(task.earliestBeginDate == date && task.prefersIncrementalDelivery)
    #expect(task.countOfBytesClientExpectsToSend == 5 && task.countOfBytesClientExpectsToReceive == 7)
    #expect(await recorded.run(task).text == "x")
    task.earliestBeginDate = nil
    #expect(task.earliestBeginDate == nil && task.countOfBytesClientExpectsToSend == 5)
  }

  // MARK: Uploads that cannot be resumed yet

  @Test func anUploadGivesNoResumeData() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      _ = connection.waitForPeerClose(timeout: .seconds(20))
    }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    let recorded = RecordedSession()
    let task = recorded.session.uploadTask(with: request, from: Data("x".utf8))
    task.resume()
    #expect(await server.waitForConnections(1))
    #expect(await task.cancelByProducingResumeData() == nil)
    #expect(await recorded.recorder.records.wait { $0[task.taskIdentifier]?.completions == 1 })
    let error = recorded.recorder.record(of: task.taskIdentifier).error as? URLError
    #expect(error?.code == .cancelled && error?.userInfo[NSURLSessionUploadTaskResumeData] == nil)
    #expect(await URLSessionUploadTask().cancelByProducingResumeData() == nil)
  }

  @Test func resumeDataOfAnUploadIsRefusedWithWords() async throws {
    let recorded = RecordedSession()
    let record = await recorded.run(recorded.session.uploadTask(withResumeData: Data("x".utf8)))
    #expect(record.code == .cannotOpenFile && record.error?.localizedDescription.contains("resume data") == true)
    let handled = Watched<(any Error)?>(nil)
    recorded.session.uploadTask(withResumeData: Data()) { _, _, error in handled.update { $0 = error } }.resume()
    #expect(await handled.wait { ($0 as? URLError)?.code == .cannotOpenFile })
    let error = await #expect(throws: URLError.self) { try await recorded.session.upload(resumeFrom: Data()) }
    #expect(error?.code == .cannotOpenFile)
  }
}
