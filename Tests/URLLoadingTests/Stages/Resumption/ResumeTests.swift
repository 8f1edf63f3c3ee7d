import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Downloads that are interrupted and go on, against nginx.
@Suite(.timeLimit(.minutes(4))) struct ResumeTests {
  private let size = DocumentRoot.largeSize
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("resume")
  }

  private func slow(_ server: NginxServer, _ name: String = "large.bin") -> URLRequest {
    URLRequest(url: server.url("/slow/\(name)?rate=2m"))
  }

  @Test func cancelByProducingResumeDataGoesOnWhereItStopped() async throws {
    let server = try await NginxServer.shared
    let data = try #require(try await Downloads.interrupt(slow(server), after: 100_000))
    let partial = try Downloads.partialFile(data)
    let length = try #require(try FileManager.default.attributesOfItem(atPath: partial.path)[.size] as? Int64)
    #expect(length >= 100_000 && length < size)
    // At full speed from here.
    let log = try await Downloads.resume(
      Downloads.changing(data) { $0["originalURL"] = server.url("/large.bin").absoluteString }, in: directory)
    #expect(log.error == nil)
    #expect(log.resumed == [[length, Int64(size)]])
    #expect(log.calls.first == "resume" && log.calls.suffix(2) == ["finish", "complete"])
    #expect(log.written.last?.dropFirst() == [Int64(size), Int64(size)])
    #expect(log.written.map { $0[0] }.reduce(0, +) == Int64(size) - length)
    #expect((log.response as? HTTPURLResponse)?.statusCode == 206)
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
    #expect(await server.waitForAccess("\"bytes=\(length)-\""))
    #expect(!FileManager.default.fileExists(atPath: partial.path))
  }

  @Test func handlerFormAndItsErrorCarryTheSameResumeData() async throws {
    let server = try await NginxServer.shared
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let given = Watched<Data??>(nil)
    let failed = Watched<URLError?>(nil)
    let task = session.downloadTask(with: slow(server)) { file, _, error in
      #expect(file == nil)
      failed.update { $0 = error as? URLError }
    }
    task.resume()
    #expect(try await eventually { task.countOfBytesReceived > 50_000 })
    task.cancel { data in given.update { $0 = .some(data) } }
    #expect(await given.wait { $0 != nil })
    #expect(await failed.wait { $0 != nil })
    #expect(failed.value?.code == .cancelled)
    let data = try #require(given.value ?? nil)
    #expect(failed.value?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == data)
    let (file, _) = try await session.download(resumeFrom: data)
    defer { unlink(file.path) }
    #expect(try TestFiles.firstDifference(in: file, count: size) == nil)
  }

  @Test func serverThatClosesInTheBodyLeavesResumeDataInTheError() async throws {
    let body = TestFiles.pattern(count: 300_000)
    let server = try ScriptedServer { connection in
      guard let request = try connection.readRequest() else { return }
      if let range = request.fields["Range"], let start = Int(range.dropFirst(6).dropLast()) {
        #expect(request.fields["If-Range"] == "\"v1\"")
        try connection.send(
          HTTPResponse(
            206,
            fields: [
              "ETag": "\"v1\"", "Content-Range": "bytes \(start)-\(body.count - 1)/\(body.count)",
            ], body: body.dropFirst(start)))
      } else {
        try connection.send(
          "HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nAccept-Ranges: bytes\r\nContent-Length: \(body.count)\r\n\r\n")
        try connection.send(body.prefix(123_457))
      }
    }
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let error = try await #require(throws: URLError.self) { try await session.download(from: server.url("/file")) }
    #expect(error.code == .networkConnectionLost)
    let data = try #require(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.resumed == [[123_457, 300_000]])
    #expect(try difference(Data(contentsOf: #require(log.file)), from: body) == nil)
  }

  @Test func changedResourceRestartsFromZeroAndTheDelegateSeesIt() async throws {
    let server = try await NginxServer.shared
    let name = "changing-\(UInt64.random(in: 0 ... .max)).bin"
    try server.addFile(name, count: 3_000_000, seed: 5)
    let data = try #require(try await Downloads.interrupt(slow(server, name), after: 50_000))
    let partial = try Downloads.partialFile(data)
    try server.addFile(name, count: 2_000_000, seed: 6)
    let log = try await Downloads.resume(data, in: directory)
    #expect(log.resumed == [[0, 2_000_000]])
    #expect((log.response as? HTTPURLResponse)?.statusCode == 200)
    let first = try #require(log.written.first)
    #expect(first[0] == first[1] && first[2] == 2_000_000)
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: 2_000_000, seed: 6) == nil)
    #expect(!FileManager.default.fileExists(atPath: partial.path), "a partial file that is of no use is left")
  }

  @Test(arguments: ["/noranges/large.bin", "/novalidators/large.bin"])
  func serverWithoutRangesOrValidatorsGivesNoResumeData(path: String) async throws {
    let server = try await NginxServer.shared
    #expect(try await Downloads.interrupt(URLRequest(url: server.url(path)), after: 1) == nil)
  }

  @Test func nothingToResumeBeforeTheFirstByte() async throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let task = session.downloadTask(with: try await NginxServer.shared.url("/large.bin"))
    #expect(await task.cancelByProducingResumeData() == nil)
    #expect(await task.cancelByProducingResumeData() == nil)
    // Cancelled before its first byte, a resumed download gives back what it was made with.
    let data = try #require(try await Downloads.interrupt(slow(try await NginxServer.shared), after: 1000))
    let resumed = session.downloadTask(withResumeData: data)
    let again = try #require(await resumed.cancelByProducingResumeData())
    #expect(try Downloads.partialFile(again) == Downloads.partialFile(data))
    let log = try await Downloads.resume(again, in: directory)
    #expect(try TestFiles.firstDifference(in: #require(log.file), count: size) == nil)
  }

  @Test func finishedTaskHasNoResumeData() async throws {
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    let ended = AsyncEvent()
    let task = session.downloadTask(with: try await NginxServer.shared.url()) { _, _, _ in ended.signal() }
    task.resume()
    #expect(await ended.wait())
    #expect(await task.cancelByProducingResumeData() == nil)
  }
}
