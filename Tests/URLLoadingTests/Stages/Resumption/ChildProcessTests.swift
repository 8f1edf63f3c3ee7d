import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Downloads in processes that are killed, run out of disk, or are measured.
@Suite(.timeLimit(.minutes(4)), .serialized) struct ChildProcessTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("child")
  }

  @Test func fileIsByteIdenticalAfterFiftyKills() async throws {
    let size = 6_000_000
    let server = try await NginxServer.shared
    let name = "killed-\(UInt64.random(in: 0 ... .max)).bin"
    try server.addFile(name, count: size, seed: 9)
    // nginx sends what it may send in a second at once, then slowly. So the kills come before the end, whatever the
    // machine does; the last process gets the rest at full speed.
    let request = URLRequest(url: server.url("/slow/\(name)?rate=60k"))
    var data = try #require(try await Downloads.interrupt(request, after: 1))
    let kept = directory.file("URLLoadingDownload_kept.tmp")
    try FileManager.default.moveItem(at: Downloads.partialFile(data), to: kept)
    data = try Downloads.changing(data) { $0["localPath"] = kept.path }
    let file = try directory.write("resume", data)
    let target = directory.file("target")
    var random = SeededGenerator(seed: 99)
    var grown = 0
    for round in 0..<50 {
      let before = try length(of: kept)
      let worker = try DownloadWorker(["resume", file.path, target.path], in: directory)
      let wanted = before + Int.random(in: 0...55_000, using: &random)
      let isThere = try await eventually(interval: .milliseconds(1)) {
        try worker.process.exitStatus != nil || (length(of: kept) >= wanted && !worker.lines.isEmpty)
      }
      worker.process.send(signal: SIGKILL)
      #expect(isThere, "round \(round): no progress")
      #expect(await worker.process.waitForExit() == .signalled(SIGKILL), "round \(round): \(worker.lines)")
      let after = try #require(try? length(of: kept), "round \(round): the file is gone; \(worker.lines)")
      #expect(after >= before)
      if after > before { grown += 1 }
    }
    #expect(grown > 25)
    #expect(try length(of: kept) < size)
    let fast = try Downloads.changing(data) { $0["originalURL"] = server.url("/\(name)").absoluteString }
    try directory.write("resume", fast)
    let worker = try DownloadWorker(["resume", file.path, target.path], in: directory)
    #expect(await worker.process.waitForExit() == .exited(0))
    #expect(worker.lines.contains("done"), "\(worker.lines)")
    #expect(try TestFiles.firstDifference(in: target, count: size, seed: 9) == nil)
  }

  private func length(of file: URL) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
  }

  @Test(arguments: ["/large.bin", "/noranges/large.bin"])
  func fullDiskFailsTheDownloadAndTheSessionWorksOn(path: String) async throws {
    let server = try await NginxServer.shared
    let worker = try DownloadWorker(
      ["limited", server.url(path).absoluteString, "1000000", server.url().absoluteString], in: directory)
    #expect(await worker.process.waitForExit() == .exited(0))
    #expect(worker.lines.first == "error \(URLError.cannotWriteToFile.rawValue) \(EFBIG)", "\(worker.lines)")
    // What can be resumed once there is room again stays.
    #expect(worker.number("left") == (path == "/large.bin" ? 1 : 0))
    #expect(worker.number("small") == 1024)
  }

  // MARK: Memory

  private static let gibibyte = 1 << 30
  private static let limit = 60_000_000

  /// A file of 1 GiB that takes no room on the disk.
  private func sparse(on server: NginxServer) throws -> URL {
    let file = server.documentRoot.appendingPathComponent("sparse.bin")
    if access(file.path, F_OK) != 0 { try Data().write(to: file) }
    #expect(truncate(file.path, off_t(Self.gibibyte)) == 0)
    return server.url("/sparse.bin")
  }

  @Test(.enabled(if: !Sanitizing.isOn)) func downloadOfOneGibibyteStaysUnder60MB() async throws {
    let url = try sparse(on: try await NginxServer.shared)
    let target = directory.file("target")
    let worker = try DownloadWorker(["download", url.absoluteString, target.path], in: directory)
    #expect(await worker.process.waitForExit(timeout: .seconds(50)) == .exited(0))
    #expect(try length(of: target) == Self.gibibyte, "\(worker.lines)")
    let peak = try #require(worker.number("peak"))
    #expect(peak < Self.limit, "\(peak / 1_000_000) MB")
  }

  @Test(.enabled(if: !Sanitizing.isOn)) func dataTaskOfOneGibibyteWithASlowDelegateStaysUnder60MB() async throws {
    let url = try sparse(on: try await NginxServer.shared)
    let worker = try DownloadWorker(["slow-data", url.absoluteString], in: directory)
    #expect(await worker.process.waitForExit(timeout: .seconds(50)) == .exited(0))
    #expect(worker.number("received") == Self.gibibyte, "\(worker.lines)")
    let peak = try #require(worker.number("peak"))
    #expect(peak < Self.limit, "\(peak / 1_000_000) MB")
  }
}
