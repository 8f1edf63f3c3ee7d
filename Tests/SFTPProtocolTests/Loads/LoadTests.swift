import Foundation
import Glibc
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Loads of every kind, over pipes.
@Suite struct SFTPLoadTests {
  private let host: PipedHost
  private let session = PipedProtocol.session()

  init() throws {
    host = try PipedHost()
  }

  private func request(_ path: String, _ fields: [String: String] = [:], method: String = "GET") -> URLRequest {
    var request = URLRequest(url: host.url(path))
    request.httpMethod = method
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  private func failure(_ request: URLRequest) async -> URLError? {
    await #expect(throws: URLError.self) { try await session.data(for: request) }
  }

  @Test(arguments: ["plain.txt", "a b%20\n?#ü.txt", "empty.txt"])
  func aFile(name: String) async throws {
    let contents = name == "empty.txt" ? Data() : TestFiles.pattern(count: 300_001)
    try host.folder.write(name, contents)
    let (data, response) = try await session.data(for: request(name))
    #expect(TestFiles.firstDifference(data, contents) == nil)
    #expect(response.expectedContentLength == Int64(contents.count))
    #expect(response.mimeType == "text/plain")
    #expect(response.url == host.url(name))
    await host.stop()
  }

  @Test func aLargeFileAsADownloadAndInSmallPieces() async throws {
    let count = 20 << 20
    try TestFiles.write(count: count, to: host.folder.file("big"))
    let (file, response) = try await session.download(for: request("big"))
    #expect(try TestFiles.firstDifference(in: file, count: count) == nil)
    try? FileManager.default.removeItem(at: file)
    #expect(response.acceptsByteRanges)
    #expect(response.validators.isStrong)

    var position = 0
    let expected = TestFiles.pattern(count: 3 << 20)
    let (bytes, _) = try await session.bytes(for: request("big", ["Range": "bytes=0-\(3 << 20 - 1)"]))
    for try await byte in bytes {
      guard byte == expected[position] else { break }
      position += 1
    }
    #expect(position == 3 << 20)
    await host.stop()
  }

  @Test func ranges() async throws {
    let contents = TestFiles.pattern(count: 1000)
    try host.folder.write("f", contents)
    for (range, bytes) in [("0-9", 0..<10), ("990-", 990..<1000), ("-5", 995..<1000), ("500-5000", 500..<1000)] {
      let (data, response) = try await session.data(for: request("f", ["Range": "bytes=\(range)"]))
      #expect(data == contents[bytes])
      #expect(response.contentRange?.firstByte == Int64(bytes.lowerBound))
      #expect(response.expectedContentLength == Int64(bytes.count))
    }
    #expect(await failure(request("f", ["Range": "bytes=1000-"]))?.code == .badServerResponse)
    let (_, response) = try await session.data(for: request("f"))
    let tag = try #require(response.validators.ifRangeValue)
    #expect(try await session.data(for: request("f", ["Range": "bytes=1-2", "If-Range": tag])).0.count == 2)
    #expect(try await session.data(for: request("f", ["Range": "bytes=1-2", "If-Range": "\"x\""])).0.count == 1000)
    await host.stop()
  }

  @Test func aHead() async throws {
    try host.folder.write("f.json", "12345")
    let (data, response) = try await session.data(for: request("f.json", method: "HEAD"))
    #expect(data.isEmpty)
    #expect(response.expectedContentLength == 5)
    #expect(response.mimeType == "application/json")
    await host.stop()
  }

  @Test func whatCannotBeLoadedSaysWhyAndNamesTheURL() async throws {
    try FileManager.default.createDirectory(at: host.folder.file("dir"), withIntermediateDirectories: true)
    try host.folder.write("f", "x")
    try host.folder.write("full/inside", "x")
    mkfifo(host.folder.file("pipe").path, 0o600)
    symlink("nowhere", host.folder.file("dangling").path)
    let cases: [(String, String, URLError.Code)] = [
      ("missing", "GET", .fileDoesNotExist), ("f/x", "GET", .fileDoesNotExist), ("dangling", "GET", .fileDoesNotExist),
      ("dir", "GET", .fileIsDirectory), ("dir/", "GET", .fileIsDirectory), ("dir", "HEAD", .fileIsDirectory),
      ("f/", "GET", .fileDoesNotExist), ("pipe", "GET", .cannotOpenFile), ("f", "PATCH", .unsupportedURL),
      ("missing", "DELETE", .fileDoesNotExist), ("full", "DELETE", .cannotRemoveFile),
      ("full/", "DELETE", .cannotRemoveFile), ("dir", "MKCOL", .cannotCreateFile), ("f", "MKCOL", .cannotCreateFile),
      ("missing/dir", "MKCOL", .fileDoesNotExist), ("f", "MOVE", .badURL),
    ]
    for (path, method, code) in cases {
      let error = await failure(request(path, method: method))
      #expect(error?.code == code, "\(method) \(path): \(String(describing: error))")
      #expect(error?.failingURL == host.url(path))
    }
    #expect(await failure(URLRequest(url: try #require(URL(string: "sftp:///x"))))?.code == .badURL)
    await host.stop()
  }

  @Test func linksAreFollowed() async throws {
    try host.folder.write("f", "contents")
    symlink("f", host.folder.file("link").path)
    #expect(try await session.data(for: request("link")).0 == Data("contents".utf8))
    await host.stop()
  }

  @Test func whatAPathNamesIsTold() async throws {
    try host.folder.write("f.html", "contents")
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes(
      [.modificationDate: date, .posixPermissions: 0o640], ofItemAtPath: host.folder.file("f.html").path)
    try FileManager.default.createDirectory(at: host.folder.file("dir"), withIntermediateDirectories: true)
    symlink("nothing", host.folder.file("link").path)
    let file = try await session.resourceInfo(at: host.url("f.html"))
    #expect(file.url == host.url("f.html") && file.kind == .file && file.size == 8 && file.permissions == 0o640)
    #expect(file.modificationDate == date && file.mediaType == "text/html")
    #expect(try await session.data(from: host.url("f.html")).1.validators == file.validators)
    for path in ["dir", "dir/"] {
      let directory = try await session.resourceInfo(at: host.url(path))
      #expect(directory.kind == .directory && directory.size == nil && directory.validators.isEmpty)
    }
    #expect(try await session.resourceInfo(at: host.url("link")).kind == .symbolicLink)
    for path in ["missing", "missing/f", "f.html/"] {
      let error = await #expect(throws: URLError.self) { try await session.resourceInfo(at: host.url(path)) }
      #expect(error?.code == .fileDoesNotExist && error?.failingURL == host.url(path), "\(path)")
    }
    await host.stop()
  }

  @Test func filesAreCopiedFromAndTo() async throws {
    let contents = TestFiles.pattern(count: 3_000_001)
    let own = try TemporaryDirectory("copies")
    try own.write("f", contents)
    let date = Date(timeIntervalSince1970: 1_000_000_000)
    try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: own.file("f").path)
    try await session.copyItem(from: own.file("f"), to: host.url("a b"))
    #expect(try await session.resourceInfo(at: host.url("a b")).modificationDate == date)
    try await session.copyItem(from: host.url("a b"), to: own.file("back"))
    try await session.copyItem(from: host.url("a b"), to: host.url("beside"))
    #expect(try Data(contentsOf: own.file("back")) == contents)
    #expect(try Data(contentsOf: host.folder.file("beside")) == contents)
    let error = await #expect(throws: URLError.self) {
      try await session.copyItem(from: own.file("f"), to: host.url("beside"))
    }
    #expect(error?.code == .cannotCreateFile)
    try await session.moveItem(from: host.url("beside"), to: own.file("moved"))
    #expect(try Data(contentsOf: own.file("moved")) == contents)
    #expect(try FileManager.default.contentsOfDirectory(atPath: host.folder.path) == ["a b"])
    await host.stop()
  }

  @Test func aFileWithoutASizeIsReadToItsEnd() async throws {
    symlink("/proc/self/status", host.folder.file("status").path)
    let (data, response) = try await session.data(for: request("status"))
    #expect(String(decoding: data, as: UTF8.self).contains("sftp-server"))
    #expect(response.expectedContentLength == -1)
    #expect(!response.acceptsByteRanges)
    await host.stop()
  }

  @Test func deleting() async throws {
    try host.folder.write("f", "x")
    _ = try await session.data(for: request("f", method: "DELETE"))
    #expect(!FileManager.default.fileExists(atPath: host.folder.file("f").path))
    try host.folder.write("dir/inside", "x")
    symlink("dir", host.folder.file("link").path)
    _ = try await session.data(for: request("link", method: "DELETE"))
    _ = try await session.data(for: request("dir/inside", method: "DELETE"))
    _ = try await session.data(for: request("dir", method: "DELETE"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: host.folder.path).isEmpty)
    await host.stop()
  }

  @Test func makingAndMoving() async throws {
    func text(_ name: String) throws -> String { try String(contentsOf: host.folder.file(name), encoding: .utf8) }
    try host.folder.write("f", "new")
    try host.folder.write("old", "old")
    try await session.createDirectory(at: host.url("a/b c"), withIntermediateDirectories: true)
    let taken = await #expect(throws: URLError.self) {
      try await session.moveItem(from: host.url("f"), to: host.url("old"))
    }
    #expect(try taken?.code == .cannotMoveFile && text("old") == "old" && text("f") == "new")
    let directory = await #expect(throws: URLError.self) {
      try await session.moveItem(from: host.url("f"), to: host.url("a"), overwriting: true)
    }
    #expect(try directory?.code == .cannotMoveFile && text("f") == "new")
    try await session.moveItem(from: host.url("f"), to: host.url("old"), overwriting: true)
    try await session.moveItem(from: host.url("old"), to: host.url("a/b c/new"))
    try await session.moveItem(from: host.url("a"), to: host.url("moved"))
    #expect(try text("moved/b c/new") == "new")
    let missing = await #expect(throws: URLError.self) {
      try await session.moveItem(from: host.url("nothing"), to: host.url("moved"), overwriting: true)
    }
    #expect(missing?.code == .fileDoesNotExist)
    let same = await #expect(throws: URLError.self) {
      try await session.moveItem(from: host.url("moved"), to: host.url("moved"), overwriting: true)
    }
    #expect(same?.code == .cannotMoveFile)
    var conditional = request("moved", method: "DELETE")
    conditional.setValue("\"a\"", forHTTPHeaderField: "If-Match")
    let refused = await #expect(throws: URLError.self) { try await session.data(for: conditional) }
    #expect(refused?.code == .unsupportedURL)
    #expect(try FileManager.default.contentsOfDirectory(atPath: host.folder.path) == ["moved"])
    await host.stop()
  }

  @Test func manyLoadsShareAConnection() async throws {
    for number in 0..<400 { try host.folder.write("f\(number)", "\(number)") }
    let right = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<400 {
        group.addTask { (try? await session.data(for: request("f\(number)")).0) == Data("\(number)".utf8) }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(right == 400)
    #expect(host.connections.value.count == 1)
    await host.stop()
  }

  @Test func idleConnectionsEndAndNewOnesAreMade() async throws {
    let session = BrieflyIdleProtocol.session()
    try host.folder.write("f", "x")
    _ = try await session.data(for: request("f"))
    let first = try #require(host.connections.value.first)
    #expect(try await eventually { first.hasEnded })
    _ = try await session.data(for: request("f"))
    #expect(host.connections.value.count == 2)
    await host.stop()
  }

  @Test func metricsTellOfTheConnection() async throws {
    try host.folder.write("f", "12345")
    let recorder = MetricsRecorder()
    for isReused in [false, true] {
      _ = try await session.data(for: request("f"), delegate: recorder)
      let metrics = try #require(recorder.last.value)
      #expect(metrics.isReusedConnection == isReused)
      #expect(metrics.countOfResponseBodyBytesReceived == 5)
      #expect(metrics.remoteAddress == "pipe")
      #expect((metrics.connectEndDate == nil) == isReused)
      #expect(metrics.response?.expectedContentLength == 5)
    }
    await host.stop()
  }
}

private final class MetricsRecorder: NSObject, URLSessionTaskDelegate {
  let last = Watched<URLSessionTaskTransactionMetrics?>(nil)

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    last.update { $0 = metrics.transactionMetrics.last }
  }
}
