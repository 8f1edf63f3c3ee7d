import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Servers that are not trusted: the program is asked about them, and about no others.
@Suite(.timeLimit(.minutes(5))) struct BackgroundTrustTests {
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func theProgramMayAcceptAServer() async throws {
    let server = try await NginxServer.shared
    let url = server.url(on: .httpsSelfSigned)
    let program = try fixture.program("test", "--trusts", "download:\(url)")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("asked") == ["1 NSURLAuthenticationMethodServerTrust 0"])
    #expect(program.all("server") == ["1 127.0.0.1 1 false"])
    #expect(try Data(contentsOf: fixture.taken.appending(path: "1")) == DocumentRoot.small)
    await program.kill()
    await fixture.stop()
  }

  @Test(arguments: [NginxServer.Listener.httpsSelfSigned, .httpsWrongHost])
  func oneThatItDoesNotAcceptFails(_ listener: NginxServer.Listener) async throws {
    let server = try await NginxServer.shared
    let program = try fixture.program("test", "download:\(server.url(on: listener))")
    #expect(try await program.says("ended 1 -120", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("asked").count == 1, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  /// What a server has acted on is not sent to it again; the next task asks.
  @Test func aRequestBehindARedirectIsNotRepeated() async throws {
    let target = try await NginxServer.shared.url(on: .httpsSelfSigned).absoluteString
    let server = try ScriptedServer.http { _ in HTTPResponse(307, fields: ["Location": target]) }
    let file = fixture.directory.file("body")
    try Data("body".utf8).write(to: file)
    let program = try fixture.program("test", "--trusts", "upload:\(file.path),\(server.url())")
    #expect(try await program.says("ended 1 -120", timeout: .seconds(60)), "\(program.lines)")
    #expect(server.requests.count == 1 && program.all("asked").isEmpty, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func nobodyIsAskedAboutATrustedServer() async throws {
    let server = try await NginxServer.shared
    let authority = try await TestCertificates.shared.authority.path
    let program = try fixture.program(
      "test", "--authority", authority, "--trusts", "download:\(server.url(on: .https))")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("asked").isEmpty, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func theQuestionWaitsForItsProgram() async throws {
    let server = try await NginxServer.shared
    try await fixture.leave("test", "download:\(server.url(on: .httpsExpired))")
    #expect(
      try await eventually {
        let control = try? BackgroundControl(at: fixture.place)
        return try control?.jobs().first?.state == "needs its program"
      })
    let program = try fixture.program("test", "--trusts")
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("asked").count == 1, "\(program.lines)")
    await program.kill()
    await fixture.stop()
  }

  @Test func questionsAreReadWithoutWhatIsOptional() throws {
    let text = #"{"challenge":{"space":"AAAA","failures":1}}"#
    let question = try JSONDecoder().decode(BackgroundQuestion.self, from: Data(text.utf8))
    guard case .challenge(_, let proposed, let failures, _, let trust) = question else {
      throw TestServerError("no challenge: \(question)")
    }
    #expect(proposed == nil && failures == 1 && trust == nil)
  }
}
