import Foundation
import Testing
import URLLoadingTestServers

/// `--har FILE`: what was loaded, as an HTTP archive.
@Suite(.timeLimit(.minutes(Sanitizing.isOn ? 20 : 2))) struct ArchiveTests {
  private let folder: TemporaryDirectory
  private let bodies: TemporaryDirectory
  private var path: String { folder.file("loads.har").path }

  init() throws {
    folder = try TemporaryDirectory("urlload")
    bodies = try TemporaryDirectory("bodies")
  }

  private func entries() throws -> [[String: Any]] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let log = try #require(root["log"] as? [String: Any])
    return try #require(log["entries"] as? [[String: Any]])
  }

  private func statuses() throws -> [Int] {
    try entries().compactMap { ($0["response"] as? [String: Any])?["status"] as? Int }
  }

  /// The arguments for loads into files of their own.
  private func arguments(_ urls: [String]) -> [String] {
    ["--har", path] + urls.indices.flatMap { ["-o", bodies.file("\($0)").path, urls[$0]] }
  }

  @Test func everyRequestIsInIt() async throws {
    let server = try await NginxServer.shared
    let secret = server.url().absoluteString.replacing("http://", with: "http://me:hunter2@")
    let outcome = try await Urlload.run(
      arguments([server.url("/redirect/302?to=/small.txt").absoluteString, "data:,x"]) + ["-H", "X-Token: hunter2"])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try statuses().sorted() == [200, 200, 302])
    #expect(try Urlload.names(in: folder) == ["loads.har"])

    let failed = try await Urlload.run(arguments([secret, server.url("/status/404").absoluteString]))
    #expect(failed.status == .exited(8))
    #expect(try statuses().sorted() == [200, 404])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(!text.contains("hunter2") && text.contains("me:***@"), "\(text)")
  }

  @Test func listingsAreInIt() async throws {
    let outcome = try await Urlload.run(["ls", "--har", path, "file://\(folder.path)/"])
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(try statuses() == [200])
  }

  @Test func aFileThatCannotBeWritten() async throws {
    let outcome = try await Urlload.run(["--har", "/no/such/folder/x.har", "data:,x"])
    #expect(outcome.status == .exited(11) && outcome.text.isEmpty)
    #expect(outcome.error.hasPrefix("urlload: cannot write the archive (No such file or directory)"))
  }

  /// The file is whole whenever the process is killed; what a killed one leaves is in nobody's way.
  @Test func aKilledProcessLeavesAWholeFile() async throws {
    let server = try await NginxServer.shared
    let urls = (0..<150).map { server.url("/small.txt?\(String(repeating: "x", count: 6000))&\($0)").absoluteString }
    var counts: [Int] = []
    for round in 0..<12 {
      let output = folder.file("output")
      let process = try ChildProcess(
        BuiltProgram.path("urlload"), arguments(urls), output: output, error: output)
      let begun = try await eventually(interval: .milliseconds(1)) {
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        return size > 10_000 + round * 150_000
      }
      #expect(begun)
      process.send(signal: SIGKILL)
      _ = await process.waitForExit()
      counts.append(try entries().count)
    }
    #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
    let outcome = try await Urlload.run(["--har", path, "data:,x"])
    #expect(outcome.status == .exited(0))
    #expect(try Urlload.names(in: folder) == ["loads.har", "output"])
  }
}
