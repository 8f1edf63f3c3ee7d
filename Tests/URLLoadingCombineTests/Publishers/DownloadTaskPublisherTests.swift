import Foundation
import Testing
import URLLoading
import URLLoadingCombine
import URLLoadingTestServers

/// Files that are there as long as somebody has them, and no longer.
@Suite(.timeLimit(.minutes(4))) struct DownloadTaskPublisherTests {
  private typealias FileRecorder = Recorder<URLSession.DownloadTaskPublisher.Output, URLError>

  private func exists(_ url: URL?) -> Bool { url.map { FileManager.default.fileExists(atPath: $0.path) } ?? false }

  @Test func theFileIsThereAfterAnotherSchedulerAndGoesWithItsLastHolder() async throws {
    let server = try await NginxServer.shared
    let queue = DispatchQueue(label: "other")
    let bodies = Watched<[Data]>([])
    let urls = Watched<[URL]>([])
    let ended = AsyncEvent()
    let cancellable = URLSession.shared.downloadTaskPublisher(for: server.url())
      .receive(on: queue)
      .sink(
        receiveCompletion: { @Sendable _ in ended.signal() },
        receiveValue: { @Sendable value in
          urls.update { $0.append(value.file.url) }
          if let body = try? Data(contentsOf: value.file.url) { bodies.update { $0.append(body) } }
        })
    #expect(await ended.wait())
    #expect(bodies.value == [DocumentRoot.small])
    withExtendedLifetime(cancellable) {}
    try #require(try await eventually { !exists(urls.value.first) })
  }

  @Test func aFileIsMovedOrKept() async throws {
    let server = try await NginxServer.shared
    let folder = try TemporaryDirectory("combine")
    let target = folder.file("moved")
    var kept: URL?
    for try await (file, response) in URLSession.shared.downloadTaskPublisher(for: server.url()).values {
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      try file.move(to: target)
      #expect(!exists(file.url))
      #expect(throws: (any Error).self) { try file.move(to: target) }
    }
    #expect(try Data(contentsOf: target) == DocumentRoot.small)
    for try await (file, _) in URLSession.shared.downloadTaskPublisher(for: server.url()).values { kept = file.keep() }
    let url = try #require(kept)
    #expect(try Data(contentsOf: url) == DocumentRoot.small)
    try FileManager.default.removeItem(at: url)
  }

  @Test func aFileThatNobodyTakesIsRemoved() async throws {
    let server = try await NginxServer.shared
    let log = await URLSession.shared.downloadTaskPublisher(for: server.url()).map(\.file.url).recorded()
    let url = try #require(log.values.first)
    try #require(try await eventually { !exists(url) })
  }

  @Test func aFileThatComesAfterTheCancelIsRemoved() async throws {
    // A folder of its own, so that its files are seen.
    let server = try await NginxServer.shared
    let folder = try TemporaryDirectory("combine")
    let session = CopyingSession(folder: folder.url)
    let recorder = FileRecorder()
    session.onFile.update { $0 = { recorder.cancel() } }
    session.downloadTaskPublisher(for: server.url()).subscribe(recorder)
    #expect(await session.hasAnswered.wait())
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    #expect(recorder.log.value.values.isEmpty && recorder.log.value.completions.isEmpty)
  }

  @Test func aFailureHasNoFile() async throws {
    let url = try #require(URL(string: "scripted://foreign/"))
    let log = await ScriptedProtocol.session.downloadTaskPublisher(for: url).recorded()
    #expect(log.failure?.code == .unknown)
    #expect(log.values.isEmpty)
  }

  @Test func withoutADemandThereIsNoTask() throws {
    let (session, counter) = TaskCounter.session()
    let recorder = FileRecorder(demand: .none)
    session.downloadTaskPublisher(for: try #require(URL(string: "data:,x"))).subscribe(recorder)
    #expect(counter.made.value == 0)
    recorder.cancel()
    recorder.request(.unlimited)
    #expect(counter.made.value == 0)
  }
}

/// Gives its handlers a copy of each file, in a folder.
// Safe to share: it has no state that changes but what has a lock.
private final class CopyingSession: URLSession, @unchecked Sendable {
  let folder: URL
  let onFile = Watched<@Sendable () -> Void>({})
  let hasAnswered = AsyncEvent()

  init(folder: URL) {
    self.folder = folder
    super.init()
  }

  override func downloadTask(
    with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
  ) -> URLSessionDownloadTask {
    URLSession.shared.downloadTask(with: request) { [folder, onFile, hasAnswered] file, response, error in
      let copy = folder.appending(component: "download")
      if let file { try? FileManager.default.copyItem(at: file, to: copy) }
      onFile.value()
      completionHandler(copy, response, error)
      hasAnswered.signal()
    }
  }
}
