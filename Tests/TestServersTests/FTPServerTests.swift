import Foundation
import Testing
import URLLoadingTestServers

@Suite struct FTPServerTests {
  @Test func sendsFilesAndParts() async throws {
    let server = try await FTPServer.shared
    #expect(try await Curl.run([server.url().absoluteString]).output == DocumentRoot.small)
    let rest = try await Curl.run(["-C", "8000000", server.url("/large.bin").absoluteString])
    let count = DocumentRoot.largeSize - 8_000_000
    #expect(difference(rest.output, from: TestFiles.pattern(count: count, offset: 8_000_000)) == nil)
    #expect(await server.waitForLog("<- REST 8000000"))
    #expect(try await Curl.run([server.url("/missing").absoluteString]).status == .exited(78))
  }

  @Test func listsMachineReadably() async throws {
    let server = try await FTPServer.shared
    let outcome = try await Curl.run(["-X", "MLSD", server.url("/").absoluteString])
    #expect(outcome.text.contains("type=file") && outcome.text.contains(" small.txt"))
  }

  @Test func letsTheNamedUserWrite() async throws {
    let server = try await FTPServer.start()
    let folder = try TemporaryDirectory()
    let file = try folder.write("new.txt", "new")
    let url = server.url("/new.txt").absoluteString
    #expect(try await Curl.run(["-T", file.path, url]).status == .exited(25))
    let login = ["-u", "\(FTPServer.user):\(FTPServer.password)"]
    #expect(try await Curl.run(login + ["-T", file.path, url]).status == .exited(0))
    #expect(try Data(contentsOf: server.documentRoot.appendingPathComponent("new.txt")) == Data("new".utf8))
    #expect(try await Curl.run(["-u", "user:wrong", url]).status == .exited(67))
    await server.stop()
  }

  @Test func speaksExplicitTLS() async throws {
    let server = try await FTPServer.secure
    let url = server.url("/large.bin").absoluteString
    #expect(try await Curl.run([url]).status != .exited(0))
    let outcome = try await Curl.trusting(["--ssl-reqd", url])
    #expect(difference(outcome.output, from: TestFiles.pattern(count: DocumentRoot.largeSize)) == nil)
  }

  @Test func leavesCommandsOut() async throws {
    var options = FTPServer.Options()
    options.disabledCommands = ["REST", "EPSV"]
    options.rateLimit = 10_000_000
    let server = try await FTPServer.start(options: options)
    #expect(try await Curl.run(["-r", "100-", server.url().absoluteString]).status != .exited(0))
    #expect(try await Curl.run([server.url().absoluteString]).output == DocumentRoot.small)
    await server.stop()
  }
}
