import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// The cache's directory: full, read-only, shared with other processes.
@Suite(.timeLimit(.minutes(4))) struct CacheDiskTests {
  private static let program = BuiltProgram.path("URLLoadingDownloadWorker")
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory("cache") }

  // MARK: Room

  /// Bodies that are rows of the index at odd numbers, and such that are files at even ones.
  private static func numbered() throws -> ScriptedServer {
    try .http { request in
      let number = Int(request.path.dropFirst()) ?? 0
      let body = Data(repeating: UInt8(truncatingIfNeeded: number), count: number % 2 == 1 ? 10_000 : 350_000)
      return HTTPResponse(fields: ["Cache-Control": "max-age=600"], body: body)
    }
  }

  /// A full disk costs entries, no load and no wrong byte; with room again, the cache goes on.
  private func check(_ outcome: Command.Outcome, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let comment = Comment(rawValue: "\(outcome.status) \(outcome.text) \(outcome.error)")
    let lines = outcome.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.map(\.first) == ["limited", "free"], comment, sourceLocation: sourceLocation)
    let limited = try #require(lines.first, comment, sourceLocation: sourceLocation).dropFirst().compactMap { Int($0) }
    #expect(limited.first == 120, comment, sourceLocation: sourceLocation)
    // The limit has been there: no file had room, and not all rows.
    #expect(limited.count == 3 && limited[1] < 30 && limited[2] == 0, comment, sourceLocation: sourceLocation)
    #expect(lines.last == ["free", "120", "30", "30"], comment, sourceLocation: sourceLocation)
  }

  /// Writes fail as those of SQLite do that are no full disk (SQLITE_IOERR_WRITE).
  @Test(.enabled(if: !Sanitizing.isOn)) func filesThatMayNotGrowCostEntries() async throws {
    let server = try Self.numbered()
    let outcome = try await Command.run(
      Self.program, ["limited-cache", server.url().absoluteString, directory.path, "300000"])
    try check(outcome)
  }

  /// Writes fail with ENOSPC (SQLITE_FULL).
  @Test(.enabled("this machine lets nobody mount (unshare -rm)") { await PrivateDisk.isAvailable })
  func aFullDiskCostsEntries() async throws {
    let server = try Self.numbered()
    let outcome = try await PrivateDisk.run(
      [Self.program, "limited-cache", server.url().absoluteString, directory.path, "0"], options: "size=40m",
      at: directory)
    try check(outcome)
  }

  // MARK: Read-only disks

  private func checkReadOnly(_ outcome: Command.Outcome, _ place: String, length: Int = 3) {
    // Memory has it.
    #expect(
      outcome.text == "loaded \(length)\nhit \(length)\nhit \(length)\n", "\(outcome.text) \(outcome.error)")
    let lines = outcome.error.split(separator: "\n")
    #expect(lines.count == 1, "\(lines)")
    #expect(
      lines.first?.hasPrefix("URLLoading: the cache in \(place)/cache is not used, responses stay in memory: ") == true)
  }

  private static func fresh(length: Int = 3) throws -> ScriptedServer {
    let text = String(repeating: "abc", count: length / 3)
    return try .http { _ in HTTPResponse(fields: ["Cache-Control": "max-age=600"], text: text) }
  }

  /// In there nobody makes directories, not even root. A large body would have a file of its own.
  @Test(arguments: [3, 99_999]) func whereNothingCanBeMadeALineSaysSo(length: Int) async throws {
    let server = try Self.fresh(length: length)
    let place = "/proc/url-loading"
    let outcome = try await Command.run(Self.program, ["cached", server.url().absoluteString, place, "3"])
    checkReadOnly(outcome, place, length: length)
  }

  @Test(.enabled("this machine lets nobody mount (unshare -rm)") { await PrivateDisk.isAvailable })
  func onAReadOnlyDiskALineSaysSo() async throws {
    let server = try Self.fresh()
    let outcome = try await PrivateDisk.run(
      [Self.program, "cached", server.url().absoluteString, directory.path, "3"], options: "ro", at: directory)
    checkReadOnly(outcome, directory.path)
  }

  // MARK: Large bodies

  /// Written while it arrives, and read piece by piece.
  @Test(.enabled(if: !Sanitizing.isOn)) func aLargeDownloadDoesNotPassThroughMemory() async throws {
    let count = 96_000_000
    let server = try ScriptedServer { connection in
      while try connection.readRequest() != nil {
        try connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: \(count)\r\n\r\n")
        for offset in stride(from: 0, to: count, by: 1 << 20) {
          try connection.send(TestFiles.pattern(count: min(1 << 20, count - offset), offset: offset))
        }
      }
    }
    let target = directory.file("target").path
    let outcome = try await Command.run(
      Self.program, ["cached-downloads", server.url().absoluteString, directory.path, target],
      environment: ["TMPDIR": directory.path])
    let lines = outcome.text.split(separator: "\n")
    #expect(lines.prefix(2) == ["loaded 1", "hit 2"], "\(outcome.text) \(outcome.error)")
    #expect(server.requests.count == 1)
    for number in 1...2 {
      #expect(try TestFiles.firstDifference(in: URL(fileURLWithPath: "\(target)\(number)"), count: count) == nil)
    }
    let peak = try #require(lines.last?.split(separator: " ").last.flatMap { Int($0) })
    #expect(peak < 60_000_000, "\(peak / 1_000_000) MB")
  }

  // MARK: Several processes

  @Test func oneProcessHitsWhatAnotherHasStored() async throws {
    let server = try Self.fresh()
    let arguments = ["cached", server.url("/a").absoluteString, directory.path, "1"]
    #expect(try await Command.run(Self.program, arguments).text == "loaded 3\n")
    #expect(try await Command.run(Self.program, arguments).text == "hit 3\n")
    #expect(server.requests.count == 1)
    // One that has the directory open all the while finds it too, and is found.
    let cache = URLCache(memoryCapacity: 0, diskCapacity: 10_000_000, directory: directory.file("cache"))
    let session = URLSession(configuration: CacheExchange.configuration(cache))
    _ = try await session.data(from: server.url("/a"))
    #expect(server.requests.count == 1)
    #expect(
      try await Command.run(Self.program, ["cached", server.url("/b").absoluteString, directory.path, "1"]).text
        == "loaded 3\n")
    let stored = URLRequest(url: server.url("/b"), cachePolicy: .returnCacheDataDontLoad)
    #expect(try await eventually { (try? await session.data(for: stored).0) == Data("abc".utf8) })
    _ = try await session.data(from: server.url("/c"))
    await session.flush()
    #expect(
      try await Command.run(Self.program, ["cached", server.url("/c").absoluteString, directory.path, "1"]).text
        == "hit 3\n")
    #expect(server.requests.count == 3)
    session.invalidateAndCancel()
  }

  // MARK: Keys

  /// No name of a file is made of a URL.
  @Test(arguments: [10, 40_000]) func longURLsThatDifferAtTheirEndsAreTwo(length: Int) async throws {
    let exchange = try CacheExchange(.disk) { request, _ in
      HTTPResponse(
        fields: ["Cache-Control": "max-age=600"],
        text: String(repeating: String(request.target.suffix(1)), count: length))
    }
    let long = "/" + String(repeating: "a", count: 300)
    for _ in 0..<2 {
      for path in [long + "b", long + "c", "/?\(long)d"] {
        #expect(try await exchange.get(path).text == String(repeating: String(path.suffix(1)), count: length))
      }
    }
    #expect(exchange.requests.count == 3)
    await exchange.session.flush()
    let restarted = URLCache(store: DiskCacheStore(directory: exchange.directory.path, capacity: 10_000_000))
    let found = restarted.cachedResponse(for: URLRequest(url: exchange.server.url(long + "c")))
    #expect(found?.data == Data(repeating: UInt8(ascii: "c"), count: length))
  }
}
