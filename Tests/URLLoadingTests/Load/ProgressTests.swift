import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct ProgressTests {
  private func check(_ task: URLSessionTask, received: Int64, sent: Int64 = 0, _ comment: Comment) {
    #expect(task.countOfBytesReceived == received, comment)
    #expect(task.countOfBytesSent == sent, comment)
    #expect(task.progress.completedUnitCount == task.progress.totalUnitCount, comment)
    #expect(task.progress.isFinished, comment)
    #expect(task.progress.fractionCompleted == 1, comment)
  }

  @Test func totalsAreRightForEverySchemeAndKind() async throws {
    let nginx = try await NginxServer.shared
    let size = Int64(DocumentRoot.small.count)
    let ftp = try await FTPServer.shared
    let urls = [
      nginx.url(), ftp.url(), nginx.documentRoot.appending(path: "small.txt"),
      try #require(URL(string: "data:;base64,\(DocumentRoot.small.base64EncodedString())")),
    ]
    let session = RecordedSession()
    for url in urls {
      let comment = Comment(rawValue: url.scheme ?? "")
      for task in [session.session.dataTask(with: url), session.session.downloadTask(with: url)] {
        _ = task.progress
        #expect(await session.run(task).error == nil, comment)
        #expect(task.countOfBytesExpectedToReceive == size, comment)
        check(task, received: size, comment)
        #expect(task.progress.totalUnitCount == size, comment)
      }
      let done = AsyncEvent()
      let handled = session.session.dataTask(with: url) { _, _, _ in done.signal() }
      _ = handled.progress
      handled.resume()
      #expect(await done.wait())
      check(handled, received: size, comment)
      // One that is first asked for after the end.
      let late = session.session.dataTask(with: url)
      _ = await session.run(late)
      check(late, received: size, comment)
    }
  }

  /// A part without a length of its own is as long as its range says, which a server may make up.
  @Test func aMadeUpLengthIsNoTotal() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send(
        "HTTP/1.1 206 Part\r\nContent-Range: bytes 0-\(Int64.max - 2)/*\r\nConnection: close\r\n\r\nabc")
    }
    var request = URLRequest(url: server.url("/"))
    request.httpMethod = "POST"
    request.httpBody = Data(count: 1000)
    let session = RecordedSession()
    let task = session.session.dataTask(with: request)
    let progress = task.progress
    let record = await session.run(task)
    #expect(record.response != nil && record.text == "abc")
    #expect(progress.completedUnitCount >= 3)
  }

  /// Keeps the task that a session makes.
  private final class Making: NSObject, URLSessionTaskDelegate, Sendable {
    let made = Watched<URLSessionTask?>(nil)
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
      _ = task.progress
      made.update { $0 = task }
    }
  }

  @Test(arguments: [TaskKind.dataAsync, .downloadHandler, .downloadAsync, .bytes], ["http", "fake"])
  func totalsAreRightForTasksOfOthers(kind: TaskKind, scheme: String) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "abcdef") }
    let fake = Fake(["abc", "def"])
    let url = scheme == "fake" ? fake.url() : server.url()
    let delegate = Making()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    configuration.protocolClasses = [FakeProtocol.self]
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    switch kind {
    case .downloadHandler:
      let done = AsyncEvent()
      session.downloadTask(with: url) { _, _, _ in done.signal() }.resume()
      #expect(await done.wait())
    case .downloadAsync: try FileManager.default.removeItem(at: try await session.download(from: url).0)
    case .bytes: for try await _ in try await session.bytes(from: url).0 {}
    case .dataAsync, .dataHandler, .dataDelegate, .downloadDelegate: _ = try await session.data(from: url)
    }
    #expect(await delegate.made.wait { $0 != nil })
    let task = try #require(delegate.made.value)
    #expect(try await eventually { task.progress.isFinished })
    check(task, received: 6, Comment(rawValue: "\(kind) \(scheme)"))
    #expect(task.progress.totalUnitCount == 6)
  }

  @Test func theTotalIsKnownFromTheResponseOn() async throws {
    let more = AsyncEvent()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcde")
      _ = more.waitBlocking()
      try connection.send("fghij")
    }
    let session = RecordedSession()
    let task = session.session.dataTask(with: server.url())
    let progress = task.progress
    #expect(progress.isIndeterminate)
    task.resume()
    #expect(try await eventually { progress.completedUnitCount == 5 })
    #expect(progress.totalUnitCount == 10 && progress.fractionCompleted == 0.5)
    more.signal()
    #expect(await session.run(task).text == "abcdefghij")
    #expect(progress.isFinished)
  }

  @Test func anUnknownLengthIsIndeterminateUntilTheEnd() async throws {
    let more = AsyncEvent()
    let server = try ScriptedServer { connection in
      _ = try connection.readRequestHead()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n")
      _ = more.waitBlocking()
      try connection.send("0\r\n\r\n")
    }
    let session = RecordedSession()
    let task = session.session.downloadTask(with: server.url())
    let progress = task.progress
    task.resume()
    #expect(try await eventually { task.countOfBytesReceived == 5 })
    #expect(task.countOfBytesExpectedToReceive == -1 && progress.isIndeterminate)
    more.signal()
    #expect(await session.run(task).text == "abcde")
    check(task, received: 5, "")
  }

  @Test(arguments: UploadKind.allCases) func uploadsEndAtTheirSize(_ kind: UploadKind) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    final class Sending: NSObject, URLSessionTaskDelegate, Sendable {
      let made = Watched<URLSessionTask?>(nil)
      let sent = Watched<[(Int64, Int64, Int64)]>([])
      func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        _ = task.progress
        made.update { $0 = task }
      }
      func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
      ) {
        sent.update { $0.append((bytesSent, totalBytesSent, totalBytesExpectedToSend)) }
      }
    }
    let delegate = Sending()
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let size = 1_000_000
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [:]
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let folder = try TemporaryDirectory()
    try start(TestFiles.pattern(count: size), request, kind, session, folder)
    #expect(await delegate.made.wait { $0 != nil })
    let task = try #require(delegate.made.value)
    #expect(try await eventually { task.state == .completed })
    #expect(try await eventually { task.progress.isFinished })
    #expect(task.error == nil)
    check(task, received: 2, sent: Int64(size), Comment(rawValue: kind.rawValue))
    #expect(task.progress.totalUnitCount == Int64(size) + 2)
    #expect(task.countOfBytesExpectedToSend == (kind == .stream ? -1 : Int64(size)))
    let steps = delegate.sent.value
    #expect(steps.reduce(0) { $0 + $1.0 } == Int64(size))
    #expect(steps.last?.1 == Int64(size))
    #expect(steps.allSatisfy { $0.2 == (kind == .stream ? -1 : Int64(size)) })
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.1 < $1.1 })
  }

  private func start(
    _ body: Data, _ request: URLRequest, _ kind: UploadKind, _ session: URLSession, _ folder: TemporaryDirectory
  ) throws {
    let file = try folder.write("body", body)
    switch kind {
    case .dataDelegate: session.uploadTask(with: request, from: body).resume()
    case .dataHandler: session.uploadTask(with: request, from: body) { _, _, _ in }.resume()
    case .dataAsync: Task { try await session.upload(for: request, from: body) }
    case .fileDelegate: session.uploadTask(with: request, fromFile: file).resume()
    case .fileHandler: session.uploadTask(with: request, fromFile: file) { _, _, _ in }.resume()
    case .fileAsync: Task { try await session.upload(for: request, fromFile: file) }
    case .stream:
      var request = request
      request.httpBodyStream = InputStream(data: body)
      session.uploadTask(withStreamedRequest: request).resume()
    }
  }

  @Test func theProgressCancelsAndPausesTheTask() async throws {
    let session = RecordedSession()
    let task = session.session.dataTask(with: try await NginxServer.shared.url("/slow/large.bin"))
    let progress = task.progress
    #expect(progress.isCancellable && progress.isPausable)
    task.resume()
    #expect(try await eventually { task.countOfBytesReceived > 0 })
    progress.pause()
    #expect(try await eventually { task.state == .suspended })
    progress.resume()
    #expect(try await eventually { task.state == .running })
    progress.cancel()
    #expect(await session.recorder.records.wait { $0[task.taskIdentifier]?.completions == 1 })
    #expect(session.recorder.record(of: task.taskIdentifier).code == .cancelled)
  }

  @Test func theProgressIsNoChildOfTheCurrentOne() async throws {
    let session = RecordedSession()
    let task = session.session.dataTask(with: "data:,x")
    let parent = Progress(totalUnitCount: 10)
    Self.askForProgress(of: task, under: parent)
    _ = await session.run(task)
    #expect(task.progress.isFinished && parent.fractionCompleted == 0)
  }

  private static func askForProgress(of task: URLSessionTask, under parent: Progress) {
    parent.becomeCurrent(withPendingUnitCount: 10)
    _ = task.progress
  }

  @Test func downloadsReportWhatTheyWrite() async throws {
    final class Writing: NSObject, URLSessionDownloadDelegate, Sendable {
      let writes = Watched<[(Int64, Int64, Int64)]>([])
      func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
      ) {
        writes.update { $0.append((bytesWritten, totalBytesWritten, totalBytesExpectedToWrite)) }
      }
    }
    let session = RecordedSession()
    let size = Int64(DocumentRoot.largeSize)
    let task = session.session.downloadTask(with: try await NginxServer.shared.url("/large.bin"))
    let own = Writing()
    task.delegate = own
    #expect(await session.run(task).body.count == Int(size))
    let writes = own.writes.value
    #expect(writes.last?.1 == size)
    #expect(writes.reduce(0) { $0 + $1.0 } == size)
    #expect(writes.allSatisfy { $0.2 == size })
  }
}
