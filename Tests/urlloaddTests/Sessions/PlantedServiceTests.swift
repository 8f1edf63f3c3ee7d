import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// A transfer service, where others may have put it.
@Suite(.timeLimit(.minutes(3))) struct PlantedServiceTests {
  private let fixture: BackgroundFixture
  private let server: ScriptedServer

  init() throws {
    fixture = try BackgroundFixture()
    server = try ScriptedServer.http { _ in HTTPResponse(text: "hello") }
  }

  @Test(arguments: PlantedProgram.Place.allCases)
  func aProgramDoesNotRunItAndItsTasksSayWhy(_ place: PlantedProgram.Place) async throws {
    let planted = try await PlantedProgram("urlloadd", in: place, for: BackgroundProgram.workerPath)
    let refused = try program(planted)
    #expect(try await refused.says("ended 1 \(URLError.backgroundSessionWasDisconnected.rawValue) "))
    #expect(refused.all("ended").first?.contains("urlloadd is not safe") == true, "\(refused.lines)")
    #expect(!planted.hasRun && server.connectionCount == 0)
    await refused.kill()
    // Else the rest says nothing.
    planted.makeSafe()
    let loaded = try program(planted)
    #expect(try await loaded.says("ended 1 0 200") && planted.hasRun, "\(loaded.lines)")
    await loaded.kill()
    await fixture.stop()
  }

  @Test(arguments: PlantedProgram.Place.allCases)
  func theCommandDoesNotRunItAndSaysWhy(_ place: PlantedProgram.Place) async throws {
    let planted = try await PlantedProgram("urlloadd", in: place, for: BuiltProgram.path("urlload"))
    let refused = try await command(planted)
    #expect(refused.status != .exited(0) && refused.error.contains("urlloadd is not safe"), "\(refused)")
    #expect(!planted.hasRun && server.connectionCount == 0)
    planted.makeSafe()
    let queued = try await command(planted)
    #expect(queued.status == .exited(0) && planted.hasRun, "\(queued)")
    let file = fixture.directory.file("a")
    #expect(try await eventually { (try? Data(contentsOf: file)) == Data("hello".utf8) })
    await fixture.stop()
  }

  private func program(_ planted: PlantedProgram) throws -> BackgroundProgram {
    try fixture.program(
      arguments: ["download:\(server.url("/a"))"], of: [planted.program], environment: planted.environment)
  }

  private func command(_ planted: PlantedProgram) async throws -> Command.Outcome {
    try await Command.run(
      planted.program, ["--background", "-o", "a", server.url("/a").absoluteString],
      environment: fixture.environment.merging(planted.environment) { $1 }, directory: fixture.directory.url)
  }
}
