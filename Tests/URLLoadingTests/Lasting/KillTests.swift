import Foundation
import Testing
import URLLoadingTestServers

/// A process that stores cookies, caches and downloads with resume data is killed again and again: what was acknowledged has lasted, and
/// nothing is damaged. `URL_LOADING_KILLS` says how often; `make kill-test` sets it.
@Suite(.timeLimit(.minutes(15))) struct KillTests {
  private let directory: TemporaryDirectory
  private let server: ScriptedServer
  private static let body = TestFiles.pattern(count: 700_000, seed: 26)

  init() throws {
    directory = try TemporaryDirectory("kill")
    server = try Self.makeServer()
  }

  private static func makeServer() throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let words = request.path.split(separator: "/").map(String.init)
        switch words.first {
        case "cookie":
          try connection.send(
            HTTPResponse(fields: ["Set-Cookie": "\(words[1])=\(words[2]); Max-Age=9000; Path=/"]), to: request)
        case "cached":
          let number = Int(words[1]) ?? 0
          let text = String(repeating: "\(number);", count: 1 + number * 2000)
          try connection.send(HTTPResponse(fields: ["Cache-Control": "max-age=9000"], text: text), to: request)
        default: try sendDownload(to: connection, request)
        }
      }
    }
  }

  /// In small pieces, so that kills come in the middle.
  private static func sendDownload(to connection: Connection, _ request: HTTPRequest) throws {
    let start = request.fields["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
    let range = start == 0 ? "" : "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)\r\n"
    try connection.send(
      "HTTP/1.1 \(start == 0 ? "200 OK" : "206 Partial")\r\nETag: \"26\"\r\nAccept-Ranges: bytes\r\nCache-Control: no-store\r\n"
        + "\(range)Content-Length: \(body.count - start)\r\n\r\n")
    for position in stride(from: start, to: body.count, by: 20_000) {
      try connection.send(body[position..<min(position + 20_000, body.count)])
      usleep(4000)
    }
  }

  private var environment: [String: String?] {
    let names = ["XDG_DATA_HOME": "data", "XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"]
    return names.mapValues { directory.file($0).path }
  }

  /// What a process has done when the time to its kill begins, one round after the other; of the first kind it may not have begun at all.
  private static let milestones = ["", "ready", "kept ", "resumed ", "done ", "hit "]

  @Test func whatWasAcknowledgedLasts() async throws {
    let kills = ProcessInfo.processInfo.environment["URL_LOADING_KILLS"].flatMap { Int($0) } ?? Self.milestones.count
    var random = SeededGenerator(seed: UInt64(kills))
    var acknowledged: [String: Int] = [:]
    var rounds: [String: Int] = [:]
    for round in 0..<kills {
      let worker = try start()
      let milestone = Self.milestones[round % Self.milestones.count]
      let isReached = try await eventually { milestone.isEmpty || worker.lines.contains { $0.hasPrefix(milestone) } }
      #expect(isReached, "round \(round) did not come to \"\(milestone)\": \(worker.lines)")
      // The moment is what chance says, not what a condition does.
      try await Task.sleep(for: .milliseconds(Int.random(in: 0..<300, using: &random)))
      worker.process.send(signal: SIGKILL)
      #expect(await worker.process.waitForExit() == .signalled(SIGKILL), "round \(round): \(worker.lines)")
      let lines = worker.lines
      try check(lines, &acknowledged, "round \(round)")
      let words = Set(lines.compactMap { $0.split(separator: " ").first.map(String.init) })
      for word in words { rounds[word, default: 0] += 1 }
      if lines.contains(where: { $0.hasPrefix("resumed left ") }) { rounds["left", default: 0] += 1 }
      try await checkDatabases("round \(round)")
    }
    // Each thing that lasts was seen to last in a share of the rounds.
    for word in ["ready", "kept", "resumed", "done", "hit"] {
      #expect(rounds[word, default: 0] >= kills / Self.milestones.count, "\(word) in too few of \(kills): \(rounds)")
    }
    // Most kills come while a download goes on: the next process resumes it. One that has just ended cannot be.
    if kills >= 50 { #expect(rounds["left", default: 0] >= kills / 10, "\(rounds)") }
    #expect(rounds["again", default: 0] <= max(2, kills / 4), "\(rounds)")
    // The last one goes on until it has shown all that it can.
    let worker = try start()
    let isShown = try await eventually {
      ["kept ", "done "].allSatisfy { word in worker.lines.contains { $0.hasPrefix(word) } }
    }
    worker.process.send(signal: SIGKILL)
    _ = await worker.process.waitForExit()
    #expect(isShown, "\(worker.lines)")
    try check(worker.lines, &acknowledged, "the last round")
    #expect(acknowledged.count > 1)
  }

  /// What a process leaves that is killed within a download is where the next one begins.
  @Test func aDownloadThatWasKilledIsResumedByTheNextProcess() async throws {
    let first = try start()
    #expect(try await eventually(interval: .milliseconds(1)) { first.lines.contains("saved") }, "\(first.lines)")
    first.process.send(signal: SIGKILL)
    _ = await first.process.waitForExit()
    let wasDone = first.lines.contains { $0.hasPrefix("done ") }
    let second = try start()
    #expect(try await eventually { second.lines.contains { $0.hasPrefix("done ") } }, "\(second.lines)")
    second.process.send(signal: SIGKILL)
    _ = await second.process.waitForExit()
    // On a machine that stalls, the first one may have come to the end.
    guard !wasDone else { return }
    let resumed = second.lines.first { $0.hasPrefix("resumed left ") }
    let offset = try #require(resumed?.split(separator: " ").last.flatMap { Int($0) }, "\(second.lines)")
    #expect(offset >= 50_000)
    #expect(server.requests.contains { $0.path == "/download" && $0.fields["Range"] == "bytes=\(offset)-" })
  }

  @Test func processesAtOnceLoseNoneOfOneAnothersCookies() async throws {
    var acknowledged: [String: Int] = [:]
    let folders = try ["a", "b", "c"].map { (prefix: $0, folder: try TemporaryDirectory("kill")) }
    let workers = try folders.map { try start(prefix: $0.prefix, folder: $0.folder) }
    for worker in workers {
      #expect(try await eventually { worker.lines.count { $0.hasPrefix("kept ") } >= 90 }, "\(worker.lines)")
    }
    for worker in workers {
      worker.process.send(signal: SIGKILL)
      _ = await worker.process.waitForExit()
    }
    for (worker, place) in zip(workers, folders) {
      try check(worker.lines.filter { $0.hasPrefix("kept ") || $0.hasPrefix("wrong ") }, &acknowledged, place.prefix)
    }
    #expect(acknowledged.count == 120)
    let last = try start(prefix: "z")
    #expect(try await eventually { last.lines.contains("ready") })
    last.process.send(signal: SIGKILL)
    try check(last.lines, &acknowledged, "the last one")
  }

  @Test func withoutAHomeALineSaysThatCookiesStayInMemory() async throws {
    let worker = try start(environment: ["HOME": nil, "XDG_DATA_HOME": nil])
    #expect(try await eventually { worker.lines.count { $0.hasPrefix("kept ") } > 20 }, "\(worker.lines)")
    worker.process.send(signal: SIGKILL)
    let warnings = worker.lines.filter { $0.hasPrefix("URLLoading: cookies") }
    #expect(warnings == ["URLLoading: cookies stay in memory: there is neither HOME nor XDG_DATA_HOME"])
  }

  /// In there nobody makes directories, not even root.
  @Test func whereNothingCanBeWrittenALineSaysThatCookiesStayInMemory() async throws {
    let worker = try start(environment: ["XDG_DATA_HOME": "/proc/url-loading"])
    #expect(try await eventually { worker.lines.count { $0.hasPrefix("kept ") } > 20 }, "\(worker.lines)")
    worker.process.send(signal: SIGKILL)
    let lines = worker.lines
    #expect(lines.count { $0.hasPrefix("URLLoading: cookies stay in memory: ") } == 1, "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("wrong ") }, "\(lines)")
  }

  private func start(
    prefix: String = "c", folder: TemporaryDirectory? = nil, environment other: [String: String?] = [:]
  ) throws -> DownloadWorker {
    let folder = folder ?? directory
    return try DownloadWorker(
      ["keep", server.url().absoluteString, folder.path, prefix], in: folder,
      environment: environment.merging(other) { $1 })
  }

  /// Looks at what a process has said, and adds to what has to last.
  private func check(_ lines: [String], _ acknowledged: inout [String: Int], _ place: String) throws {
    var found: [String: Int] = [:]
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "has": found[words[1]] = Int(words[2])
      case "ready":
        for (name, value) in acknowledged {
          #expect(found[name].map { $0 >= value } == true, "\(place): \(name) is \(found[name] ?? -1), was \(value)")
        }
      case "kept": acknowledged[words[1]] = Int(words[2])
      case "done":
        let file = directory.file(words[1])
        #expect(try TestFiles.firstDifference(in: file, count: Self.body.count, seed: 26) == nil, "\(place)")
        unlink(file.path)
      case "hit", "saved", "resumed", "again": break
      default: Issue.record("\(place): \(line)")
      }
    }
  }

  /// Checks copies of the databases: the next process finds them as the kill has left them.
  private func checkDatabases(_ place: String) async throws {
    let copies = try TemporaryDirectory("copies")
    var names: [String] = []
    for folder in ["data", "cache"] {
      let root = directory.file(folder)
      for case let file as URL in FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) ?? .init() {
        #expect(file.pathExtension != "damaged", "\(place)")
        // The shared memory of a process that is gone is made anew.
        guard file.lastPathComponent.contains(".sqlite"), !file.path.hasSuffix("-shm"), file.pathExtension != "lock"
        else { continue }
        try FileManager.default.copyItem(at: file, to: copies.file(file.lastPathComponent))
        if file.pathExtension == "sqlite" { names.append(file.lastPathComponent) }
      }
    }
    guard !names.isEmpty else { return }
    let script =
      "import sqlite3, sys\nfor f in sys.argv[1:]: print(sqlite3.connect(f).execute('PRAGMA integrity_check').fetchone()[0])"
    let outcome = try await Command.run(try PackageFolder.python, ["-c", script] + names, directory: copies.url)
    #expect(outcome.text == String(repeating: "ok\n", count: names.count), "\(place): \(outcome.text) \(outcome.error)")
  }
}
