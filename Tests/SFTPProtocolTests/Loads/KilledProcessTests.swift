import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import SFTPProtocol

/// A download whose process is killed, and that the next process goes on with.
@Suite(.timeLimit(.minutes(2))) struct SFTPKilledProcessTests {
  /// `sftp-server` behind a program that keeps back what comes after some bytes, while there is a file that says so: kills come
  /// before the end, whatever the machine does.
  private static let limitedServer = """
    import os, subprocess, sys
    server = subprocess.Popen(["\(PipedServer.program)"] + sys.argv[2:], stdout=subprocess.PIPE)
    left = 900_000 if os.path.exists(sys.argv[1]) else 1 << 40
    while piece := server.stdout.read1(32768):
        sys.stdout.buffer.write(piece[:left])
        sys.stdout.buffer.flush()
        left = max(0, left - len(piece))
    """

  @Test func aDownloadIsByteIdenticalAfterTenKills() async throws {
    let folder = try TemporaryDirectory("killed")
    let script = try folder.write("limited.py", Self.limitedServer)
    let limit = folder.file("limit")
    var options = SSHServer.Options()
    options.subsystem = "/usr/bin/python3 \(script.path) \(limit.path)"
    let server = try await SSHServer.start(options: options)
    let home = try await SSHHome.friendly(to: server)
    let size = 16 << 20
    try TestFiles.write(count: size, seed: 9, to: server.home.appendingPathComponent("f"))

    try Data().write(to: limit)
    let task = home.session.downloadTask(with: server.url("/~/f"))
    task.resume()
    // Bytes are counted before they are written; no piece has as many as these.
    #expect(try await eventually(interval: .milliseconds(1)) { task.countOfBytesReceived > 500_000 })
    let resumeData = try #require(await task.cancelByProducingResumeData())
    let list = try PropertyListSerialization.propertyList(from: resumeData, format: nil) as? [String: Any]
    let partial = try #require(list?["NSURLSessionResumeInfoLocalPath"] as? String)
    let file = try folder.write("resume", resumeData)
    let target = folder.file("target")

    var random = SeededGenerator(seed: 99)
    var grown = 0
    for round in 0..<10 {
      let before = length(of: partial)
      let wanted = before + Int.random(in: 0...500_000, using: &random)
      let process = try worker(file, target, home, folder)
      let isThere = try await eventually(interval: .milliseconds(1)) {
        process.exitStatus != nil || length(of: partial) > wanted
      }
      process.send(signal: SIGKILL)
      #expect(isThere, "round \(round): no progress")
      #expect(await process.waitForExit() == .signalled(SIGKILL), "round \(round)")
      let after = length(of: partial)
      #expect(after >= before, "round \(round): bytes were lost")
      if after > before { grown += 1 }
    }
    #expect(grown == 10)
    #expect(length(of: partial) < size)
    try FileManager.default.removeItem(at: limit)
    let last = try worker(file, target, home, folder)
    #expect(await last.waitForExit(timeout: .seconds(60)) == .exited(0))
    #expect(try TestFiles.firstDifference(in: target, count: size, seed: 9) == nil)
    await server.stop()
  }

  private func worker(_ file: URL, _ target: URL, _ home: SSHHome, _ folder: TemporaryDirectory) throws -> ChildProcess
  {
    try ChildProcess(
      BuiltProgram.path("URLLoadingDownloadWorker"), ["resume", file.path, target.path],
      environment: ["CFFIXED_USER_HOME": home.folder.path, "TMPDIR": folder.path, "SSH_AUTH_SOCK": nil],
      output: folder.file("log"), error: folder.file("log"))
  }

  private func length(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_size : -1
  }
}
