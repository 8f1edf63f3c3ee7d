import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlload

/// How far background loads are, and `urlload jobs wait`.
@Suite(.timeLimit(.minutes(3))) struct JobsWaitTests {
  private let service: ServiceFolder
  private var folder: TemporaryDirectory { service.folder }
  private static let body = TestFiles.pattern(count: 400_000, seed: 22)

  init() throws { service = try ServiceFolder() }

  private func run(_ arguments: [String]) async throws -> Command.Outcome {
    try await Urlload.run(arguments, environment: service.environment, in: folder)
  }

  @Test func waitTakesWhatIsThereAndWaitsForTheOthers() async throws {
    let (isQueued, isTaken) = (AsyncEvent(), AsyncEvent())
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        guard request.path == "/slow" else {
          // The command that queues it would take it itself.
          _ = isQueued.waitBlocking()
          try connection.send(HTTPResponse(text: "fast"), to: request)
          continue
        }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.body.count)\r\n\r\n")
        try connection.send(Self.body.prefix(200_000))
        _ = isTaken.waitBlocking()
        try connection.send(Self.body.dropFirst(200_000))
      }
    }
    let (slow, fast) = (server.url("/slow").absoluteString, server.url("/fast").absoluteString)
    let queued = try await run(["--background", "-o", "slow", slow, "-o", "fast", fast])
    #expect(queued.status == .exited(0), "\(queued.error)")
    isQueued.signal()
    let lines = Watched<[String]>([])
    #expect(
      try await eventually(interval: .milliseconds(100)) {
        let list = try await run(["jobs"]).text.split(separator: "\n").map(String.init)
        lines.update { $0 = list }
        return list.count == 2 && list[0].contains("%") && list[1].hasPrefix("2 done ")
      }, "\(lines.value)")
    // Half of it has come, of which the service tells now and then.
    let words = try #require(lines.value.first?.split(separator: " ").map(String.init))
    try #require(words.count >= 3)
    let share = try #require(words[2].hasSuffix("%") ? Int(words[2].dropLast()) : nil)
    #expect(words[0] == "1" && words[1] == "loads" && (0...50).contains(share), "\(words)")
    #expect(access(folder.file("fast").path, F_OK) != 0)

    async let waiting = run(["jobs", "wait"])
    #expect(try await eventually { access(folder.file("fast").path, F_OK) == 0 })
    isTaken.signal()
    let waited = try await waiting
    #expect(waited.status == .exited(0), "\(waited.error)")
    #expect(try TestFiles.firstDifference(in: folder.file("slow"), count: Self.body.count, seed: 22) == nil)
    #expect(waited.error == "urlload: loaded \(fast)\nurlload: loaded \(slow)\n")
    #expect(try await eventually { try await run(["jobs"]).text.isEmpty })
  }

  @Test(
    arguments: [(50, 200, " 25%"), (1, 3, " 33%"), (0, 7, " 0%"), (5, 0, ""), (5, -1, "")] as [(Int64, Int64, String)])
  func aShareIsSaidWhereTheWholeIsKnown(_ received: Int64, _ expected: Int64, _ share: String) {
    var progress = BackgroundProgress()
    (progress.received, progress.expectedToReceive) = (received, expected)
    var job = BackgroundJob(
      number: 12, session: "s", program: "p", url: "http://a/b", kind: .download, state: "loads", hasEnded: false,
      progress: progress, failure: nil, nextTry: nil)
    #expect(JobText.line(job).hasPrefix("12 loads\(share) \(ByteText.size(received)) http://a/b"))
    (job.state, job.hasEnded) = ("done", true)
    #expect(JobText.line(job).hasPrefix("12 done \(ByteText.size(received)) http://a/b"))
  }
}
