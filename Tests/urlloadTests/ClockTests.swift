import Foundation
import Testing
import URLLoadingTestServers

/// The wall's clock is set back by a day while the command runs, and the clocks that nobody sets are not.
@Suite(.timeLimit(.minutes(3)), .enabled(if: !Sanitizing.isOn)) struct ClockTests {
  private static let day: Int64 = 86_400
  private let folder: TemporaryDirectory
  private let clock: SetClock

  init() async throws {
    folder = try TemporaryDirectory("clock")
    clock = try await SetClock()
  }

  private var errors: String { (try? String(contentsOf: folder.file("errors"), encoding: .utf8)) ?? "" }

  /// Starts the command, which writes when its loads began, by its own clock.
  private func start(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      BuiltProgram.path("urlload"), ["--har", "loads.har"] + arguments, environment: clock.environment,
      directory: folder.url, output: folder.file("output"), error: folder.file("errors"))
  }

  /// The days by which loads began before the machine's clock says that they did, in their order.
  private func daysBehind() throws -> [Int] {
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: folder.file("loads.har"))) as? [String: Any]
    let entries = try #require((root?["log"] as? [String: Any])?["entries"] as? [[String: Any]])
    let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return try entries.map { entry in
      let date = try Date(try #require(entry["startedDateTime"] as? String), strategy: form)
      return Int((-date.timeIntervalSinceNow / Double(Self.day)).rounded())
    }
  }

  @Test(arguments: [true, false]) func anotherAttemptComesAfterSeconds(isAskedFor: Bool) async throws {
    let count = Watched(0)
    let server = try ScriptedServer.http { _ in
      let isFirst = count.update { count in
        count += 1
        return count == 1
      }
      return isFirst
        ? HTTPResponse(503, fields: isAskedFor ? ["Retry-After": "8"] : [:], text: "later")
        : HTTPResponse(text: "now")
    }
    let process = try start("--retry", "1", "--retry-delay", "8", "-o", "a", server.url().absoluteString)
    #expect(try await eventually { errors.contains("attempt 2 of 2 in 8") }, "\(errors)")
    try clock.set(ahead: -Self.day)
    #expect(await process.waitForExit(timeout: .seconds(60)) == .exited(0), "\(errors)")
    #expect(try String(contentsOf: folder.file("a"), encoding: .utf8) == "now")
    #expect(try daysBehind() == [0, 1])
  }

  @Test func whatTheRateHoldsBackGoesOnAfterSeconds() async throws {
    let body = TestFiles.pattern(count: 400_000, seed: 10)
    let isSet = Watched(false)
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        guard request.path == "/a" else {
          try connection.send(HTTPResponse(text: "second"), to: request)
          continue
        }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
        try connection.send(body.dropLast(1000))
        // The end waits for the clock, on a slow machine as well.
        _ = isSet.waitBlocking { $0 }
        try connection.send(body.suffix(1000))
      }
    }
    let process = try start(
      "--parallel-max", "1", "--limit-rate", "50000", "-o", "a", server.url("/a").absoluteString, "-o", "b",
      server.url("/b").absoluteString)
    // What comes before the file has its name lies beside it.
    let isWriting = try await eventually {
      try Urlload.names(in: folder).contains { name in
        guard name.hasPrefix(".urlload-") else { return false }
        return try Data(contentsOf: folder.file(name)).count > 0
      }
    }
    #expect(isWriting, "\(errors)")
    try clock.set(ahead: -Self.day)
    isSet.update { $0 = true }
    #expect(await process.waitForExit(timeout: .seconds(60)) == .exited(0), "\(errors)")
    #expect(try TestFiles.firstDifference(Data(contentsOf: folder.file("a")), body) == nil)
    #expect(try daysBehind() == [0, 1], "the clock of the command is not set")
  }
}
