import Foundation
import Glibc
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// Uploads over pipes.
@Suite struct SFTPUploadTests {
  private let session = PipedProtocol.session()

  private func request(_ url: URL, _ fields: [String: String] = [:]) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  private func names(_ host: PipedHost) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: host.folder.path).sorted()
  }

  /// An upload that has a temporary file, and waits for its body until the event.
  private func stalledUpload(
    to host: PipedHost, in session: URLSession
  ) async throws -> (loading: Task<(Data, URLResponse), any Error>, goesOn: AsyncEvent) {
    let events = StallingStream.Events()
    var streamed = request(host.url("f"))
    streamed.httpBodyStream = StallingStream(events, after: TestFiles.pattern(count: 1 << 20))
    let loading = Task { [streamed] in try await session.data(for: streamed) }
    #expect(await events.hasStalled.wait())
    #expect(try await eventually { try names(host).contains { $0.hasSuffix(".part") } })
    return (loading, events.released)
  }

  @Test(arguments: [0, 1, 3_000_001])
  func dataFilesAndStreams(count: Int) async throws {
    let host = try PipedHost()
    let contents = TestFiles.pattern(count: count)
    let source = try host.folder.write("source", contents)
    let (_, response) = try await session.upload(for: request(host.url("a ü")), from: contents)
    #expect(response.url == host.url("a ü"))
    _ = try await session.upload(for: request(host.url("b")), fromFile: source)
    var streamed = request(host.url("c"))
    streamed.httpBodyStream = InputStream(data: contents)
    _ = try await session.data(for: streamed)
    for name in ["a ü", "b", "c"] {
      #expect(TestFiles.firstDifference(try Data(contentsOf: host.folder.file(name)), contents) == nil)
    }
    #expect(try names(host) == ["a ü", "b", "c", "source"])
    await host.stop()
  }

  @Test(arguments: [[], ["-P", "posix-rename"]])
  func aFileIsReplacedAndKeepsItsPermissions(arguments: [String]) async throws {
    let host = try PipedHost(arguments: arguments)
    try host.folder.write("f", "old")
    chmod(host.folder.file("f").path, 0o640)
    symlink("f", host.folder.file("link").path)
    _ = try await session.upload(for: request(host.url("f")), from: Data("new".utf8))
    #expect(try String(contentsOf: host.folder.file("f"), encoding: .utf8) == "new")
    _ = try await session.upload(for: request(host.url("link")), from: Data("newer".utf8))
    #expect(try String(contentsOf: host.folder.file("f"), encoding: .utf8) == "newer")
    var status = stat()
    #expect(lstat(host.folder.file("link").path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(host.folder.file("f").path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(try await eventually { try names(host) == ["f", "link"] })
    await host.stop()
  }

  /// Who may not read the old contents must not read the new ones, not even while they come.
  @Test(arguments: [0o600, 0o444] as [mode_t])
  func whatReplacesAFileHasItsPermissionsFromTheStart(mode: mode_t) async throws {
    let host = try PipedHost()
    let file = try host.folder.write("f", "old")
    chmod(file.path, mode)
    let (loading, goesOn) = try await stalledUpload(to: host, in: session)
    defer { goesOn.signal() }
    let temporary = host.folder.file(try #require(try names(host).first { $0.hasSuffix(".part") }))
    var status = stat()
    #expect(try await eventually { stat(temporary.path, &status) == 0 && status.st_size > 0 })
    #expect(status.st_mode & 0o777 == mode, "\(String(status.st_mode, radix: 8))")
    goesOn.signal()
    _ = try await loading.value
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == mode && status.st_size >= 1 << 20)
    await host.stop()
  }

  /// Only root gives files away; the second server lets nobody do it, and the file is written in place.
  @Test(.enabled(if: geteuid() == 0), arguments: [[], ["-P", "posix-rename"], ["-P", "fsetstat"]])
  func aFileThatIsReplacedKeepsItsOwner(arguments: [String]) async throws {
    let host = try PipedHost(arguments: arguments)
    let file = try host.folder.write("f", "a longer old one")
    #expect(chown(file.path, 1234, 4321) == 0 && chmod(file.path, 0o640) == 0)
    symlink("f", host.folder.file("link").path)
    // Held open: the number of a file that is gone may be given to the next one.
    let held = try FileHandle(forReadingFrom: file)
    var before = stat()
    #expect(fstat(held.fileDescriptor, &before) == 0)
    for (name, text) in [("f", "new"), ("link", "newer")] {
      _ = try await session.upload(for: request(host.url(name)), from: Data(text.utf8))
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    #expect(status.st_uid == 1234 && status.st_gid == 4321 && status.st_mode & 0o777 == 0o640)
    #expect((status.st_ino == before.st_ino) == arguments.contains("fsetstat"))
    try held.close()
    #expect(lstat(host.folder.file("link").path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try await eventually { try names(host) == ["f", "link"] })
    await host.stop()
  }

  /// A delegate that hears of the session's end hears of it when nothing is left.
  @Test func aSessionIsInvalidWhenTheTemporaryFileHasGone() async throws {
    let isInvalid = AsyncEvent()
    let host = try PipedHost()
    let left = Watched<[String]?>(nil)
    let observer = InvalidationObserver {
      left.update { $0 = try? FileManager.default.contentsOfDirectory(atPath: host.folder.path) }
      isInvalid.signal()
    }
    let session = PipedProtocol.session(delegate: observer)
    let (loading, goesOn) = try await stalledUpload(to: host, in: session)
    defer { goesOn.signal() }
    let uploads = session.component(UnfinishedUploads.self)
    #expect(uploads.urls.count == 1)
    let server = try #require(host.connections.value.first)
    server.freeze()
    session.invalidateAndCancel()
    await #expect(throws: (any Error).self) { try await loading.value }
    server.thaw()
    #expect(await isInvalid.wait())
    #expect(left.value == [])
    #expect(await uploads.settle(within: .seconds(5)).isEmpty)
    await host.stop()
  }

  @Test func aFileThatMustNotBeReplacedStays() async throws {
    let host = try PipedHost()
    try host.folder.write("f", "old")
    let forbidding = ["If-None-Match": "*"]
    let error = await #expect(throws: URLError.self) {
      try await session.upload(for: request(host.url("f"), forbidding), from: Data("new".utf8))
    }
    #expect(error?.code == .cannotCreateFile)
    #expect(try String(contentsOf: host.folder.file("f"), encoding: .utf8) == "old")
    _ = try await session.upload(for: request(host.url("g"), forbidding), from: Data("new".utf8))
    #expect(try names(host) == ["f", "g"])
    let other = await #expect(throws: URLError.self) {
      try await session.upload(for: request(host.url("g"), ["If-None-Match": "\"x\""]), from: Data())
    }
    #expect(other?.code == .unsupportedURL)
    await host.stop()
  }

  @Test(arguments: ["GET", "HEAD", "POST", "DELETE", "PATCH"])
  func onlyPutStores(_ method: String) async throws {
    let host = try PipedHost()
    try host.folder.write("f", "old")
    var other = request(host.url("f"))
    other.httpMethod = method
    let upload = await #expect(throws: URLError.self) {
      try await session.upload(for: other, from: Data("new".utf8))
    }
    #expect(upload?.code == .unsupportedURL && upload?.localizedDescription.contains(method) == true)
    other.httpBody = Data("new".utf8)
    let load = await #expect(throws: URLError.self) { try await session.data(for: other) }
    #expect(load?.code == .unsupportedURL && load?.localizedDescription.contains(method) == true)
    #expect(try String(contentsOf: host.folder.file("f"), encoding: .utf8) == "old")
    // A request without a method of its own stores.
    _ = try await session.upload(for: URLRequest(url: host.url("f")), from: Data("new".utf8))
    #expect(try String(contentsOf: host.folder.file("f"), encoding: .utf8) == "new")
    await host.stop()
  }

  @Test func targetsThatCannotBe() async throws {
    let host = try PipedHost()
    try FileManager.default.createDirectory(at: host.folder.file("dir"), withIntermediateDirectories: true)
    mkfifo(host.folder.file("pipe").path, 0o600)
    for (path, code) in [
      ("dir", URLError.Code.fileIsDirectory), ("dir/", .fileIsDirectory), ("pipe", .cannotOpenFile),
      ("no/f", .fileDoesNotExist),
    ] {
      let error = await #expect(throws: URLError.self) {
        try await session.upload(for: request(host.url(path)), from: Data("x".utf8))
      }
      #expect(error?.code == code, "\(path)")
      #expect(error?.failingURL == host.url(path))
    }
    #expect(try await eventually { try names(host) == ["dir", "pipe"] })
    await host.stop()
  }

  @Test func aSourceThatShrinksLeavesTheTargetAsItWas() async throws {
    let host = try PipedHost()
    try host.folder.write("f", "old")
    var streamed = request(host.url("f"), ["Content-Length": "100"])
    streamed.httpBodyStream = InputStream(data: Data("short".utf8))
    await #expect(throws: URLError.self) { try await session.data(for: streamed) }
    #expect(try String(contentsOf: host.folder.file("f"), encoding: .utf8) == "old")
    #expect(try await eventually { try names(host) == ["f"] })
    await host.stop()
  }

  /// The file is closed before it is known that it could not be written.
  @Test(arguments: [1, 5 << 20])
  func aServerThatDoesNotWriteKeepsTheOldFile(count: Int) async throws {
    let host = try PipedHost(arguments: ["-P", "write"])
    try host.folder.write("f", "old")
    let error = await #expect(throws: URLError.self) {
      try await session.upload(for: request(host.url("f")), from: TestFiles.pattern(count: count))
    }
    #expect(error?.failingURL == host.url("f"))
    #expect(try await eventually { try names(host) == ["f"] })
    #expect(try String(contentsOf: host.folder.file("f"), encoding: .utf8) == "old")
    await host.stop()
  }

  /// Wherever an upload ends, the target is the old file or the new one.
  @Test(arguments: 0..<8)
  func anUploadThatIsCancelledLeavesNothingHalf(step: Int) async throws {
    let host = try PipedHost()
    let old = TestFiles.pattern(count: 1000, seed: 7)
    let new = TestFiles.pattern(count: 4 << 20)
    try host.folder.write("f", old)
    let isDone = AsyncEvent()
    let observer = EndObserver(isDone, cancelAfter: Int64(step) << 19)
    let task = session.uploadTask(with: request(host.url("f")), from: new)
    task.delegate = observer
    task.resume()
    if step == 0 { task.cancel() }
    #expect(await isDone.wait())
    let contents = try Data(contentsOf: host.folder.file("f"))
    #expect([old, new].contains { TestFiles.firstDifference($0, contents) == nil })
    #expect(try await eventually { try names(host) == ["f"] })
    await host.stop()
  }

  @Test func anUploadWhoseBodyStallsIsCancelledAndLeavesTheOldFile() async throws {
    let host = try PipedHost()
    try host.folder.write("f", "old")
    let (loading, goesOn) = try await stalledUpload(to: host, in: session)
    defer { goesOn.signal() }
    loading.cancel()
    await #expect(throws: (any Error).self) { try await loading.value }
    #expect(try await eventually { try names(host) == ["f"] })
    #expect(try String(contentsOf: host.folder.file("f"), encoding: .utf8) == "old")
    await host.stop()
  }

  /// A server that is slow to answer outlasts the time after which a connection without loads is closed.
  @Test func theTemporaryFileIsRemovedHoweverSlowTheServerIs() async throws {
    let session = BrieflyIdleProtocol.session()
    let host = try PipedHost()
    try host.folder.write("f", "old")
    let (loading, goesOn) = try await stalledUpload(to: host, in: session)
    defer { goesOn.signal() }
    let server = try #require(host.connections.value.first)
    server.freeze()
    loading.cancel()
    await #expect(throws: (any Error).self) { try await loading.value }
    // A connection without loads and without work of theirs would be closed by then.
    #expect(try await eventually { await server.waitsToClose })
    #expect(!server.hasEnded)
    server.thaw()
    #expect(try await eventually { try names(host) == ["f"] })
    #expect(try await eventually { server.hasEnded })
    await host.stop()
  }

  /// The end of a session cancels its loads and closes their connections, but not before the temporary file has gone.
  @Test func theTemporaryFileIsRemovedAtTheEndOfASession() async throws {
    let session = PipedProtocol.session()
    let host = try PipedHost()
    try host.folder.write("f", "old")
    let (loading, goesOn) = try await stalledUpload(to: host, in: session)
    defer { goesOn.signal() }
    session.invalidateAndCancel()
    await #expect(throws: (any Error).self) { try await loading.value }
    #expect(try await eventually { try names(host) == ["f"] })
    #expect(try await eventually { host.connections.value.allSatisfy(\.hasEnded) })
    await host.stop()
  }

  /// A server that never answers does not keep a connection for ever.
  @Test func aServerThatIsSilentLosesItsConnection() async throws {
    let session = PipedProtocol.session()
    let host = try PipedHost()
    let (loading, goesOn) = try await stalledUpload(to: host, in: session)
    defer { goesOn.signal() }
    let server = try #require(host.connections.value.first)
    server.freeze()
    session.invalidateAndCancel()
    await #expect(throws: (any Error).self) { try await loading.value }
    #expect(try await eventually { server.hasEnded })
    await host.stop()
  }

  @Test func anUploadGoesOnWithAnotherConnection() async throws {
    let host = try PipedHost(firstsLastByte: 7_654_321)
    let new = TestFiles.pattern(count: 16 << 20)
    _ = try await session.upload(for: request(host.url("f")), from: new)
    #expect(TestFiles.firstDifference(try Data(contentsOf: host.folder.file("f")), new) == nil)
    #expect(host.connections.value.count == 2)
    #expect(try await eventually { try names(host) == ["f"] })
    await host.stop()
  }

  /// The server is killed at a certain byte of what it gets: of the contents, or of the requests around them.
  @Test(arguments: 0..<40, [true, false])
  func anUploadWhoseServerEndsAtAnyByte(step: Int, replaces: Bool) async throws {
    var random = SeededGenerator(seed: UInt64(step))
    let isSmall = step % 2 == 0
    let new = TestFiles.pattern(count: isSmall ? 10 : 1 << 20)
    let host = try PipedHost(
      firstsLastByte: isSmall ? 20 * (step / 2 + 1) : Int.random(in: 1...1 << 20, using: &random))
    let old = Data("old".utf8)
    if replaces { try host.folder.write("f", old) }
    let request = request(host.url("f"), replaces ? [:] : ["If-None-Match": "*"])
    do {
      _ = try await session.upload(for: request, from: new)
      #expect(TestFiles.firstDifference(try Data(contentsOf: host.folder.file("f")), new) == nil)
    } catch let error as URLError {
      // Whether it was stored is not known, and to try again might replace what somebody else has stored since.
      #expect(!replaces && error.code == .networkConnectionLost, "\(error)")
      let stored = try? Data(contentsOf: host.folder.file("f"))
      #expect(stored == nil || stored == new)
    }
    // A file that was about to be made when the server ended may be left.
    #expect(try names(host).allSatisfy { $0 == "f" || $0.hasPrefix(".f.") && $0.hasSuffix(".part") })
    await host.stop()
  }
}

private final class InvalidationObserver: NSObject, URLSessionDelegate {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { action() }
}

/// Cancels once so many bytes have left.
private final class EndObserver: NSObject, URLSessionDataDelegate {
  private let isDone: AsyncEvent
  private let limit: Int64
  private let hasActed = Watched(false)

  init(_ isDone: AsyncEvent, cancelAfter limit: Int64) {
    self.isDone = isDone
    self.limit = limit
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    let acts = hasActed.update { acted in
      guard !acted, limit > 0, totalBytesSent >= limit else { return false }
      acted = true
      return true
    }
    if acts { task.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    isDone.signal()
  }
}
