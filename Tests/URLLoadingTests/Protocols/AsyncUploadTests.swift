import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Uploads by an `AsyncURLProtocol`.
@Suite(.timeLimit(.minutes(4))) struct AsyncUploadTests {
  /// What an instance does is in its URL's host; the body of its response is what it read.
  final class Scheme: AsyncURLProtocol, @unchecked Sendable {
    /// The paths of instances whose function ended by a cancellation.
    static let cancelled = Watched<Set<String>>([])

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "uploading" }
    override class var capabilities: Capabilities { super.capabilities.union(.upload) }

    override func load(_ request: URLRequest, to writer: Writer) async throws {
      var body = Data()
      switch request.url?.host() {
      case "whole": body = try await read(writer)
      case "first":
        for try await chunk in writer.uploadChunks {
          body = chunk
          break
        }
      case "twice":
        _ = try await read(writer)
        let space = URLProtectionSpace(
          host: "x", port: 0, protocol: nil, realm: nil, authenticationMethod: NSURLAuthenticationMethodDefault)
        _ = try await writer.challenge(space)
        body = try await read(writer)
      case "elsewhere": for total in [2, 5] { writer.reportUploadProgress(totalBytesSent: Int64(total)) }
      case "waits":
        do { _ = try await read(writer) } catch is CancellationError {
          Self.cancelled.update { _ = $0.insert(request.url?.path ?? "") }
        }
      default: break
      }
      try await writer.respond(mimeType: nil)
      try await writer.write(body)
    }

    private func read(_ writer: Writer) async throws -> Data {
      var body = Data()
      for try await chunk in writer.uploadChunks { body.append(chunk) }
      return body
    }
  }

  private static let bytes = Data(TestFiles.pattern(count: 700_001))

  private func session(_ recorder: LoadRecorder = LoadRecorder()) -> RecordedSession {
    RecordedSession(recorder) { $0.protocolClasses = [Scheme.self] }
  }

  @Test(arguments: ["data", "file", "stream"]) func readingThePiecesReportsProgress(_ kind: String) async throws {
    let session = session(LoadRecorder(onStream: { _ in InputStream(data: Self.bytes) }))
    let folder = try TemporaryDirectory("upload")
    let request = URLRequest(url: "uploading://whole/")
    let task: URLSessionUploadTask =
      switch kind {
      case "data": session.session.uploadTask(with: request, from: Self.bytes)
      case "file": session.session.uploadTask(with: request, fromFile: try folder.write("body", Self.bytes))
      default: session.session.uploadTask(withStreamedRequest: request)
      }
    let progress = task.progress
    let record = await session.run(task)
    #expect(record.body == Self.bytes && record.error == nil)
    #expect(task.countOfBytesSent == Int64(Self.bytes.count))
    #expect(progress.isFinished)
  }

  @Test func aBodyThatIsReadAgainBeginsAtZero() async throws {
    let reports = Watched<[Int64]>([])
    let chunks = URLUploadBody.Chunks(
      opening: { .data(Self.bytes) }, report: { count in reports.update { $0.append(count) } })
    for try await _ in chunks { break }
    for try await _ in chunks {}
    #expect(reports.value.prefix(2) == [0, 0] && reports.value.last == Int64(Self.bytes.count))
  }

  @Test func aLoadWithoutABodyHasNoPieces() async {
    let record = await session().load("uploading://whole/" as URL)
    #expect(record.body.isEmpty && record.error == nil && record.completions == 1)
  }

  /// The piece that was taken last may not have been sent.
  @Test func aPieceCountsWhenTheNextIsAskedFor() async {
    let session = session()
    let task = session.session.uploadTask(with: URLRequest(url: "uploading://first/"), from: Self.bytes)
    #expect(await session.run(task).body.count == 256 << 10)
    #expect(task.countOfBytesSent == 0)
  }

  @Test func whatIsSentElsewhereIsReported() async {
    let session = session()
    let task = session.session.uploadTask(with: URLRequest(url: "uploading://elsewhere/"), from: Data("hello".utf8))
    #expect(await session.run(task).error == nil)
    #expect(task.countOfBytesSent == 5)
  }

  @Test func aBodyIsReadAgainFromItsBeginning() async throws {
    let session = session(LoadRecorder(onStream: { _ in InputStream(data: Self.bytes) }))
    let request = URLRequest(url: "uploading://twice/")
    let fromData = session.session.uploadTask(with: request, from: Self.bytes)
    #expect(await session.run(fromData).body == Self.bytes)
    #expect(fromData.countOfBytesSent == Int64(Self.bytes.count))
    let streamed = await session.run(session.session.uploadTask(withStreamedRequest: request))
    #expect(streamed.body == Self.bytes && streamed.streams == 2)
  }

  @Test func aStreamThatCannotBeHadAgainIsAnError() async {
    let session = session(LoadRecorder(onStream: { $0 == 1 ? InputStream(data: Self.bytes) : nil }))
    let record = await session.run(
      session.session.uploadTask(withStreamedRequest: URLRequest(url: "uploading://twice/")))
    #expect(record.code == .requestBodyStreamExhausted)
  }

  @Test func cancellingTheLoadEndsAReadThatWaits() async throws {
    let events = StallingStream.Events()
    defer { events.released.signal() }
    let session = session(LoadRecorder(onStream: { _ in StallingStream(events) }))
    let path = "/\(UUID())"
    let url = try #require(URL(string: "uploading://waits\(path)"))
    let task = session.session.uploadTask(withStreamedRequest: URLRequest(url: url))
    task.resume()
    #expect(await events.hasStalled.wait())
    task.cancel()
    #expect(await Scheme.cancelled.wait { $0.contains(path) })
    #expect(await session.run(task).code == .cancelled)
  }
}
