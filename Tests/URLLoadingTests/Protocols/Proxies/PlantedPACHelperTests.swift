import Foundation
import Testing
import URLLoadingTestServers

/// A program that runs proxy scripts, where others may have put it.
@Suite struct PlantedPACHelperTests {
  @Test(arguments: PlantedProgram.Place.allCases)
  func itIsNotRunAndTheErrorSaysWhy(_ place: PlantedProgram.Place) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "hello") }
    let planted = try await PlantedProgram("urlload-pac", in: place, for: BuiltProgram.path("URLLoadingDownloadWorker"))
    let refused = try await load(server.url(), by: planted)
    #expect(!planted.hasRun && server.connectionCount == 0)
    #expect(
      refused.hasPrefix("error \(URLError.cannotConnectToHost.rawValue) ")
        && refused.contains("urlload-pac is not safe"),
      "\(refused)")
    // Else the rest says nothing.
    planted.makeSafe()
    #expect(try await load(server.url(), by: planted) == "loaded 5")
    #expect(planted.hasRun)
  }

  /// What the program says.
  private func load(_ url: URL, by planted: PlantedProgram) async throws -> String {
    let worker = try DownloadWorker(
      ["pac", url.absoluteString], in: planted.directory, environment: planted.environment,
      as: URL(filePath: planted.program))
    #expect(await worker.process.waitForExit() == .exited(0))
    return worker.lines.joined(separator: "\n")
  }
}
