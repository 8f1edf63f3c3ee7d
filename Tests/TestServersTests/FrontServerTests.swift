import Foundation
import Testing
import URLLoadingTestServers

@Suite struct FrontServerTests {
  @Test(arguments: FrontProgram.allCases)
  func passesRequestsOnByHTTP1AndHTTP2AlsoAfterAReload(program: FrontProgram) async throws {
    let origin = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let server = try await program.start(before: origin.port)
    for path in ["/before", "/after"] {
      let secure = try await Curl.trusting(["-i", server.url(path, secure: true).absoluteString])
      #expect(secure.text.hasPrefix("HTTP/2 200") && secure.text.hasSuffix(path))
      let plain = try await Curl.run(["-i", server.url(path, secure: false).absoluteString])
      #expect(plain.text.hasPrefix("HTTP/1.1 200") && plain.text.hasSuffix(path))
      try await server.reload()
    }
    await server.stop()
    #expect(!server.isRunning)
  }

  @Test(arguments: FrontProgram.allCases)
  func finishesInGoodOrder(program: FrontProgram) async throws {
    let origin = try ScriptedServer.http { HTTPResponse(text: $0.path) }
    let server = try await program.start(before: origin.port)
    let hasEnded = try await eventually(interval: .seconds(2)) {
      server.finish()
      return !server.isRunning
    }
    #expect(hasEnded)
    await server.stop()
  }
}
