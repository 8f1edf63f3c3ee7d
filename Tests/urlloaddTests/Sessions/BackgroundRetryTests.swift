import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// The policy of retries in running services.
@Suite(.timeLimit(.minutes(5))) struct BackgroundRetryTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  /// Answers with 503 twice.
  private func server() throws -> ScriptedServer {
    let count = Watched(0)
    return try ScriptedServer.http { _ in
      let number = count.update {
        $0 += 1
        return $0
      }
      return HTTPResponse(number > 2 ? 200 : 503, text: "answer")
    }
  }

  @Test func aStatusThatThePolicyNamesIsNoResult() async throws {
    let server = try server()
    let program = try fixture.program("test", "--retries", "3", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(server.requests.count == 3)
    await program.kill()
    await fixture.stop()
  }

  @Test func withoutAPolicyItIsOne() async throws {
    let server = try server()
    let program = try fixture.program("test", "download:\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 503", timeout: .seconds(60)), "\(program.lines)")
    #expect(server.requests.count == 1)
    await program.kill()
    await fixture.stop()
  }

  @Test func aBodyIsUploadedAgain() async throws {
    let server = try server()
    let directory = try TemporaryDirectory("retries")
    let file = try directory.write("body", "the body")
    let program = try fixture.program("test", "--retries", "3", "put:\(file.path),\(server.url("/a"))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(server.requests.count == 3 && server.requests.allSatisfy { $0.fields["Content-Length"] == "8" })
    await program.kill()
    await fixture.stop()
  }
}
