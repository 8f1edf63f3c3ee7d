import Foundation
import Testing
import URLLoadingTestServers

/// Rules of App Transport Security from the `Info.plist` beside an executable: a copy of a program, in a folder of its own.
@Suite(.timeLimit(.minutes(4))) struct InfoPlistTests {
  /// What the program says of a load of plain HTTP.
  /// - Parameter rules: what stands under `NSAppTransportSecurity`; nil for no file.
  private func outcome(_ rules: String?) async throws -> (lines: [String], connections: Int) {
    let folder = try TemporaryDirectory("info-plist")
    defer { withExtendedLifetime(folder) {} }
    if let rules {
      try folder.write(
        "Info.plist",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>\(rules)</dict></dict></plist>
        """)
    }
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    let program = try await DownloadWorker.copy(into: folder)
    let worker = try DownloadWorker(["info-plist", server.url().absoluteString], in: folder, as: program)
    #expect(await worker.process.waitForExit() == .exited(0))
    let connections = server.connectionCount
    await server.stop()
    return (worker.lines, connections)
  }

  @Test func anExceptionOfTheFileHolds() async throws {
    let outcome = try await outcome("<key>NSAllowsLocalNetworking</key><true/>")
    #expect(outcome.lines == ["status 200"])
    #expect(outcome.connections == 1)
  }

  /// A file without exceptions, and one that is not there: its pins would be missing.
  @Test(arguments: ["", nil]) func plainHTTPIsRefused(_ rules: String?) async throws {
    let outcome = try await outcome(rules)
    #expect(outcome.lines.count == 1 && outcome.lines.first?.hasPrefix("code -1022 ") == true, "\(outcome.lines)")
    #expect((outcome.lines.first?.contains("Info.plist") == true) == (rules == nil))
    #expect(outcome.connections == 0)
  }
}
