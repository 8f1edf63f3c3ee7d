import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@Suite(.timeLimit(.minutes(4))) struct DispositionTests {
  /// Answers a response with a disposition, on a thread of its own, and notes what follows.
  final class Deciding: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    struct Seen: Sendable {
      var events: [String] = []
      var body = Data()
      var error: (any Error)?
      var isOffQueue = false
      var completed: URLSessionTask?
      var becameIdentifier: Int?
    }
    let seen = Watched(Seen())
    let disposition: URLSession.ResponseDisposition
    let queue: OperationQueue
    init(_ disposition: URLSession.ResponseDisposition) {
      self.disposition = disposition
      queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
    }
    private func note(_ event: String, _ body: (inout Seen) -> Void = { _ in }) {
      let isOffQueue = OperationQueue.current !== queue
      seen.update {
        $0.events.append(event)
        if isOffQueue { $0.isOffQueue = true }
        body(&$0)
      }
    }
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      note("response")
      let disposition = disposition
      Thread.detachNewThread { completionHandler(disposition) }
    }
    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) {
      note("become") { $0.becameIdentifier = downloadTask.taskIdentifier }
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      note("data") { $0.body += data }
    }
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
      totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
      if seen.value.events.last != "write" { note("write") }
    }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
      note("file") { $0.body = (try? Data(contentsOf: location)) ?? Data() }
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      note("completion") {
        $0.error = error
        $0.completed = task
      }
    }
  }

  private func run(_ disposition: URLSession.ResponseDisposition, _ url: URL) async -> (Deciding.Seen, URLSessionTask) {
    let delegate = Deciding(disposition)
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: delegate.queue)
    defer { session.invalidateAndCancel() }
    let task = session.dataTask(with: url)
    task.resume()
    #expect(await delegate.seen.wait { $0.completed != nil })
    #expect(!delegate.seen.value.isOffQueue)
    #expect((try? await eventually { await session.allTasks.isEmpty }) == true)
    return (delegate.seen.value, task)
  }

  @Test func allow() async throws {
    let (seen, task) = await run(.allow, try await NginxServer.shared.url())
    #expect(seen.events == ["response", "data", "completion"])
    #expect(seen.body == DocumentRoot.small && seen.error == nil && seen.completed === task)
  }

  @Test func cancel() async throws {
    let (seen, task) = await run(.cancel, try await NginxServer.shared.url("/large.bin"))
    #expect(seen.events == ["response", "completion"])
    #expect((seen.error as? URLError)?.code == .cancelled && seen.completed === task)
  }

  @Test(arguments: ["/small.txt", "/large.bin", "/empty.bin"]) func becomeDownload(_ path: String) async throws {
    let nginx = try await NginxServer.shared
    let (seen, task) = await run(.becomeDownload, nginx.url(path))
    let hasBody = path != "/empty.bin"
    #expect(seen.events == ["response", "become"] + (hasBody ? ["write"] : []) + ["file", "completion"])
    #expect(try difference(seen.body, from: Data(contentsOf: nginx.documentRoot.appending(path: path))) == nil)
    #expect(seen.completed is URLSessionDownloadTask && seen.completed?.taskIdentifier == seen.becameIdentifier)
    #expect(seen.error == nil && task !== seen.completed)
  }

  @Test func becomeDownloadOfEveryScheme() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("file", "contents")
    for url in [file, URL(stringLiteral: "data:,contents")] {
      let (seen, _) = await run(.becomeDownload, url)
      #expect(seen.body == Data("contents".utf8) && seen.events.contains("become") && seen.events.last == "completion")
    }
  }

  @Test func nothingComesBeforeTheAnswer() async throws {
    let answer = Watched<(@Sendable (URLSession.ResponseDisposition) -> Void)?>(nil)
    final class Waiting: NSObject, URLSessionDataDelegate, Sendable {
      let answer: Watched<(@Sendable (URLSession.ResponseDisposition) -> Void)?>
      let events = Watched<[String]>([])
      init(_ answer: Watched<(@Sendable (URLSession.ResponseDisposition) -> Void)?>) { self.answer = answer }
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
      ) {
        events.update { $0.append("response") }
        answer.update { $0 = completionHandler }
      }
      func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        events.update { $0.append("data") }
      }
      func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        events.update { $0.append("completion") }
      }
    }
    let delegate = Waiting(answer)
    let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.dataTask(with: try await NginxServer.shared.url()).resume()
    #expect(await answer.wait { $0 != nil })
    #expect(await !delegate.events.wait(timeout: .milliseconds(300)) { $0.count > 1 })
    answer.value?(.allow)
    #expect(await delegate.events.wait { $0.last == "completion" })
    #expect(delegate.events.value == ["response", "data", "completion"])
  }
}
