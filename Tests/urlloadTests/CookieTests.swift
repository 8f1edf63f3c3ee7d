import Foundation
import Testing
import URLLoadingTestServers

/// Cookies in files that other programs share.
@Suite struct CookieTests {
  private let folder: TemporaryDirectory
  private let server: ScriptedServer

  init() throws {
    folder = try TemporaryDirectory("urlload")
    server = try ScriptedServer.http { request in
      let count = request.fields["Cookie"]?.split(separator: "; ").count ?? 0
      let value = request.path == "/set" ? ("Set-Cookie", "c\(count)=1; Max-Age=1000; Path=/") : ("X-None", "")
      return HTTPResponse(fields: HTTPFields([value]), text: request.fields["Cookie"] ?? "none")
    }
  }

  private func run(_ arguments: String..., path: String = "/set") async throws -> Command.Outcome {
    try await Urlload.run(arguments + [server.url(path).absoluteString], in: folder)
  }

  @Test func aJarIsFilledAndSent() async throws {
    #expect(try await run("-b", "jar", "-c", "jar").text == "none")
    #expect(try await run("-b", "jar", "-c", "jar").text == "c0=1")
    #expect(try await run("--cookie", "jar", path: "/").text == "c0=1; c1=1")
    #expect(try Urlload.names(in: folder) == ["jar"])
    #expect(try await run("-c", "-", path: "/set").text.hasPrefix("none# Netscape HTTP Cookie File\n"))
    // A failure does not keep cookies from being kept.
    let failed = try await Urlload.run(["-b", "jar", "-c", "failed", "http://127.0.0.1:1/"], in: folder)
    #expect(failed.status == .exited(4), "\(failed.error)")
    #expect(try String(contentsOf: folder.file("failed"), encoding: .utf8).contains("c1"))
  }

  @Test func cookiesOfBothKindsAreSent() async throws {
    try folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n")
    let sent = try await run("-b", "jar", "-b", "x=y; z=1", "-c", "jar", path: "/").text
    #expect(sent.split(separator: "; ").sorted() == ["a=b", "x=y", "z=1"])
    // As with curl, what was given itself is not kept.
    #expect(try await run("-b", "jar", path: "/").text == "a=b")
  }

  @Test func aCookieOfTheJarOutlivesOneOfItsName() async throws {
    try folder.write("jar", "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n")
    #expect(try await run("-b", "jar", "-b", "a=x", "-c", "jar", path: "/").text == "a=x")
    #expect(try await run("-b", "jar", path: "/").text == "a=b")
    // What a response sets is kept, also where it is what was given.
    #expect(try await run("-b", "jar", "-b", "a=x; c2=1", "-c", "jar").text.contains("c2=1"))
    #expect(try await run("-b", "jar", path: "/").text.split(separator: "; ").sorted() == ["a=b", "c2=1"])
  }

  @Test func curlSharesTheJar() async throws {
    _ = try await run("-c", "jar")
    let sent = try await Command.check(
      "curl", ["-sS", "-b", folder.file("jar").path, "-c", folder.file("jar").path, server.url("/set").absoluteString])
    #expect(sent == Data("c0=1".utf8))
    #expect(try await run("-b", "jar", path: "/").text.split(separator: "; ").sorted() == ["c0=1", "c1=1"])
  }

  @Test func whatIsNoCookieIsToldOf() async throws {
    try folder.write("jar", "garbage\n127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n")
    let outcome = try await run("-b", "jar", path: "/")
    #expect(outcome.text == "a=b" && outcome.status == .exited(0))
    #expect(outcome.error.contains("passed over in jar, line 1: there are 1 fields"), "\(outcome.error)")
  }

  @Test func aFileNeedNotBeThere() async throws {
    let missing = try await run("-b", "none", path: "/")
    #expect(missing.status == .exited(0) && missing.text == "none", "\(missing.error)")
    #expect(missing.error == "urlload: there is no file of cookies none\n")
    let engine = try await run("-b", "", path: "/")
    #expect(engine.status == .exited(0) && engine.text == "none" && engine.error.isEmpty, "\(engine.error)")
    // What has an equals sign and is no file is a cookie itself, as for curl.
    #expect(try await run("-b", "name=value", "-b", "b=2; c=3").text == "name=value; b=2; c=3")
    try folder.write("a=1", "127.0.0.1\tFALSE\t/\tFALSE\t0\tx\ty\n")
    #expect(try await run("-b", "a=1", path: "/").text == "x=y")
    let unwritable = try await run("-c", "none/jar")
    #expect(
      unwritable.status == .exited(11) && unwritable.text == "none" && unwritable.error.contains("none/jar"),
      "\(unwritable.error)")
  }
}
