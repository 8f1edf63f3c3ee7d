import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Credentials that a program has stored for ever, in a real Secret Service, serve its tasks when it does not run.
@Suite(.timeLimit(.minutes(5)), .enabled(if: KeyringSession.obstacle == nil, "\(KeyringSession.obstacle ?? "")"))
struct StoredCredentialTests {
  private static let password = "w0rd-0815-4711"
  private let fixture: BackgroundFixture

  init() throws { fixture = try BackgroundFixture() }

  @Test func theyServeWithoutTheProgram() async throws {
    let isAlone = AsyncEvent()
    let login = "Basic \(Data("user:\(Self.password)".utf8).base64EncodedString())"
    let server = try ScriptedServer.http { request in
      guard isAlone.waitBlocking() else { return HTTPResponse(503, text: "the program does not end") }
      guard request.fields["Authorization"] == login else {
        return HTTPResponse(401, fields: ["WWW-Authenticate": "Basic realm=\"r\""], text: "no")
      }
      return HTTPResponse(text: "yes")
    }
    let url = server.url("/a").absoluteString
    let (log, gone, enough) = (
      fixture.directory.file("worker.log"), fixture.directory.file("gone").path, fixture.directory.file("enough")
    )
    defer { try? Data().write(to: enough) }
    // The bus, and with it the Secret Service, is there until the shell ends.
    let script = """
      '\(BackgroundProgram.workerPath)' "$@" >'\(log.path)' 2>&1
      echo $? >'\(gone)'
      while ! [ -e '\(enough.path)' ]; do sleep 0.05; done
      """
    let session = Task { [fixture] in
      try await KeyringSession.run(
        .unlocked, home: fixture.directory, "/bin/sh",
        [
          "-c", script, "sh", "test", fixture.taken.path, "--exit", "--stores", "user:\(Self.password)", url,
          "download:\(url)",
        ],
        environments: [fixture.environment.compactMapValues { $0 }], timeout: .seconds(200))
    }
    let isGone = try await eventually { ((try? String(contentsOfFile: gone, encoding: .utf8)) ?? "") == "0\n" }
    isAlone.signal()
    let lines = ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n")
    #expect(isGone && lines.contains("stored true") && lines.contains("resumed 1"), "\(lines)")
    let place = fixture.place
    let isDone = try await eventually {
      (try? BackgroundControl(at: place).jobs().first?.state) == "done"
    }
    try Data().write(to: enough)
    let outcome = try await session.value
    #expect(isDone && outcome.status == .exited(0), "\(server.requests) \(outcome.text) \(outcome.error)")
    #expect(server.requests.last?.fields["Authorization"] == login)
    // They are the Secret Service's alone.
    for secret in [Self.password, login] { #expect(try fixture.files(with: secret, in: fixture.state).isEmpty) }
    let program = try fixture.program()
    #expect(try await program.says("ended 1 0 200", timeout: .seconds(60)), "\(program.lines)")
    #expect(program.all("asked").isEmpty, "\(program.lines)")
    #expect(try String(contentsOf: fixture.taken.appending(path: "1"), encoding: .utf8) == "yes")
    await program.kill()
    await fixture.stop()
  }
}
