import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// `file:` URLs, read where they are.
@Suite(.timeLimit(.minutes(4))) struct RandomAccessFileTests {
  private let session = URLSession(configuration: .ephemeral)
  private let directory: TemporaryDirectory
  private let body = TestFiles.pattern(count: 10_000_000, seed: 6)

  init() throws {
    directory = try TemporaryDirectory("random-file")
  }

  @Test func readsAnyPart() async throws {
    let file = try directory.write("file.zip", body)
    let resource = try await session.randomAccess(to: file)
    #expect(resource.length == 10_000_000 && !resource.isRemote && resource.hasByteRanges)
    #expect(resource.url == file && resource.mimeType == "application/zip" && resource.validators.isStrong)
    let reader = resource.makeReader()
    for (start, count) in [(0, 10_000_000), (9_999_999, 7), (123, 456), (10_000_000, 1), (5, 9_000_000)] {
      let expected = body.dropFirst(start).prefix(count)
      #expect(try await difference(reader.bytes(at: Int64(start), count: count), from: expected) == nil)
      #expect(try await difference(resource.read(at: Int64(start), count: count), from: expected) == nil)
    }
    let empty = try await session.randomAccess(to: directory.write("empty", Data()))
    #expect(empty.length == 0)
    #expect(try await empty.read(at: 0, count: 1).isEmpty)
  }

  @Test func codesAreThoseOfALoad() async throws {
    for url in [
      directory.url, directory.file("missing"), directory.file("missing/inner"),
      "file://elsewhere/etc/passwd" as URL,
    ] {
      let loaded = try await #require(throws: URLError.self) { try await session.data(from: url) }
      let error = try await #require(throws: URLError.self) { try await session.randomAccess(to: url) }
      #expect(error.code == loaded.code && error.failingURL == url, "\(url)")
    }
  }

  static let changes: [@Sendable (URL) throws -> Void] = [
    { file in
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data([1]))
      try handle.close()
    },
    { guard truncate($0.path, 10) == 0 else { throw URLError(.cannotOpenFile) } },
    { file in
      // Other bytes of the same number.
      let handle = try FileHandle(forWritingTo: file)
      try handle.write(contentsOf: Data([1, 2, 3]))
      try handle.close()
      var times = [timespec(tv_sec: 1_000_000, tv_nsec: 5), timespec(tv_sec: 1_000_000, tv_nsec: 5)]
      guard utimensat(AT_FDCWD, file.path, &times, 0) == 0 else { throw URLError(.cannotOpenFile) }
    },
  ]

  @Test(arguments: 0..<3) func aFileThatChangesIsAnError(number: Int) async throws {
    let file = try directory.write("file", body.prefix(100_000))
    let resource = try await session.randomAccess(to: file)
    #expect(try await difference(resource.read(at: 5, count: 5), from: body[5..<10]) == nil)
    try Self.changes[number](file)
    for offset in [Int64(0), 99_990] {
      let error = try await #require(throws: URLError.self) { try await resource.read(at: offset, count: 10) }
      #expect(error.code == .resourceUnavailable && error.failingURL == file)
      #expect(error.localizedDescription.contains("changed while it was read"))
    }
    await #expect(throws: URLError.self) { try await resource.makeReader().bytes(at: 0, count: 10) }
  }

  @Test func aFileThatIsReplacedIsReadAsItWas() async throws {
    let file = try directory.write("file", body.prefix(1000))
    let resource = try await session.randomAccess(to: file)
    let other = try directory.write("other", Data("other".utf8))
    #expect(rename(other.path, file.path) == 0)
    #expect(try await difference(resource.read(at: 500, count: 1000), from: body[500..<1000]) == nil)
  }

  @Test func aPipeIsReadAsAWhole() async throws {
    let pipe = directory.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let body = body.prefix(300_000)
    let written = Watched(false)
    Thread.detachNewThread {
      // Waits for the reader, of which there is one.
      if let handle = try? FileHandle(forWritingTo: pipe), (try? handle.write(contentsOf: body)) != nil {
        try? handle.close()
        written.update { $0 = true }
      }
    }
    let resource = try await session.randomAccess(to: pipe)
    #expect(resource.length == 300_000 && !resource.hasByteRanges)
    #expect(try await difference(resource.read(at: 200_000, count: 1000), from: body[200_000..<201_000]) == nil)
    #expect(await written.wait { $0 })
  }

  @Test func closingAndCancelling() async throws {
    let resource = try await session.randomAccess(to: directory.write("file", body.prefix(1000)))
    let reader = resource.makeReader()
    reader.cancel()
    let cancelled = try await #require(throws: URLError.self) { try await reader.bytes(at: 0, count: 10) }
    #expect(cancelled.code == .cancelled)
    #expect(try await difference(resource.makeReader().bytes(at: 0, count: 10), from: body[0..<10]) == nil)
    resource.close()
    let closed = try await #require(throws: URLError.self) { try await resource.read(at: 0, count: 10) }
    #expect(closed.code == .cancelled)
  }

  @Test(.enabled(if: !Sanitizing.isOn)) func aGibibyteStaysUnder60MB() async throws {
    let server = try await NginxServer.shared
    let file = server.documentRoot.appendingPathComponent("sparse-\(UInt64.random(in: 0 ... .max)).bin")
    try Data().write(to: file)
    #expect(truncate(file.path, 1 << 30) == 0)
    for url in [server.url("/\(file.lastPathComponent)"), file] {
      let worker = try DownloadWorker(["random-access", url.absoluteString, "262144"], in: directory)
      #expect(await worker.process.waitForExit(timeout: .seconds(50)) == .exited(0))
      #expect(worker.number("read") == 1 << 30, "\(worker.lines)")
      let peak = try #require(worker.number("peak"))
      #expect(peak < 60_000_000, "\(peak / 1_000_000) MB")
    }
  }
}
