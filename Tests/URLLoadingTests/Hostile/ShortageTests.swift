import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads where the system has nothing left to give, in processes of their own.
@Suite(.timeLimit(.minutes(4))) struct ShortageTests {
  @Test(arguments: [("descriptors", EMFILE), ("threads", EAGAIN)])
  func theFirstLoadFailsAndALaterOneTriesAgain(resource: String, error: Int32) async throws {
    let directory = try TemporaryDirectory("shortage")
    // Another user starts it.
    chmod(directory.path, 0o755)
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "hello") }
    let worker = try DownloadWorker(["shortage", server.url().absoluteString, resource], in: directory)
    #expect(await worker.process.waitForExit() == .exited(0), "\(worker.lines)")
    let lines = worker.lines
    try #require(lines.count == 4, "\(lines)")
    for line in lines.prefix(2) {
      #expect(line.hasPrefix("error \(URLError.resourceUnavailable.rawValue) \(error) "), "\(line)")
      #expect(line.contains(String(cString: strerror(error))), "\(line)")
    }
    #expect(lines.suffix(2) == ["loaded 5", "loaded 5"], "\(lines)")
  }

  /// What is lacking is a socket, and not the server; of a name, what its lookup needs.
  @Test(arguments: ["127.0.0.1", "localhost"]) func aLaterLoadSaysWhatItLacks(host: String) async throws {
    let directory = try TemporaryDirectory("shortage")
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "hello") }
    let url = "http://\(host):\(server.port)/"
    let worker = try DownloadWorker(["shortage", url, "sockets"], in: directory)
    #expect(await worker.process.waitForExit() == .exited(0), "\(worker.lines)")
    let lines = worker.lines
    try #require(lines.count == 5, "\(lines)")
    #expect(lines.first == "loaded 5" && lines.suffix(2) == ["loaded 5", "loaded 5"], "\(lines)")
    for line in lines[1...2] {
      #expect(line.hasPrefix("error \(URLError.resourceUnavailable.rawValue) \(EMFILE) "), "\(line)")
      #expect(line.contains(String(cString: strerror(EMFILE))), "\(line)")
    }
  }
}
