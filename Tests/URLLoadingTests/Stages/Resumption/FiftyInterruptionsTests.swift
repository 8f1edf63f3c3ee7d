import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A download that is stopped fifty times, wherever chance has it.
@Suite(.timeLimit(.minutes(4))) struct FiftyInterruptionsTests {
  private let body = TestFiles.pattern(count: 4_000_000, seed: 50)

  /// Serves `body` with ranges, up to the offset `stop`; then it waits, or closes.
  private func server(_ stop: Watched<Int>, closes: Watched<Bool>) throws -> ScriptedServer {
    let body = body
    return try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      let start = request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let range = start == 0 ? "" : "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)\r\n"
      try connection.send(
        "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial")\r\nETag: \"50\"\r\nAccept-Ranges: bytes\r\n"
          + "\(range)Content-Length: \(body.count - start)\r\n\r\n")
      try connection.send(body[start..<max(start, stop.value)])
      if stop.value < body.count, !closes.value { _ = connection.waitForPeerClose() }
    }
  }

  @Test func fileIsByteIdenticalAfterFiftyInterruptionsAtRandomBytes() async throws {
    let stop = Watched(0)
    let closes = Watched(false)
    let server = try server(stop, closes: closes)
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    var random = SeededGenerator(seed: 50)
    var resumeData: Data?
    for round in 0..<50 {
      let end = stop.update { stop in
        stop += Int.random(in: 1...79_000, using: &random)
        return stop
      }
      closes.update { $0 = round % 3 == 2 }
      let ended = Watched<URLError?>(nil)
      let handler: @Sendable (URL?, URLResponse?, (any Error)?) -> Void = { _, _, error in
        ended.update { $0 = error as? URLError }
      }
      let task =
        resumeData.map { session.downloadTask(withResumeData: $0, completionHandler: handler) }
        ?? session.downloadTask(with: server.url("/file"), completionHandler: handler)
      if closes.value {
        task.resume()
      } else {
        _ = try await Downloads.interrupt(task, after: Int64(end))
      }
      #expect(await ended.wait { $0 != nil }, "round \(round) did not end")
      let error = try #require(ended.value)
      #expect(error.code == (closes.value ? .networkConnectionLost : .cancelled))
      resumeData = try #require(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data, "round \(round)")
      let partial = try Data(contentsOf: Downloads.partialFile(#require(resumeData)))
      #expect(
        difference(partial, from: body.prefix(end)) == nil, "round \(round): \(partial.count) bytes instead of \(end)")
    }
    stop.update { $0 = body.count }
    let (file, _) = try await session.download(resumeFrom: try #require(resumeData))
    defer { unlink(file.path) }
    #expect(try difference(Data(contentsOf: file), from: body) == nil)
    #expect(server.requests.count == 51)
    #expect(server.requests.dropFirst().allSatisfy { $0.fields["If-Range"] == "\"50\"" })
  }
}
