import Foundation
import Testing
import URLLoadingTestServers

/// What is sent.
@Suite struct RequestTests {
  @Test func sendsMethodFieldsAndData() async throws {
    let url = try await NginxServer.shared.url("/echo").absoluteString
    let outcome = try await Urlload.run(["-X", "delete", "-H", "X-Test: a: b", "-H", "Referer:", url])
    #expect(outcome.text.hasPrefix("method: DELETE\n"))
    #expect(outcome.text.contains("x-test: a: b\n"))
    let server = try ScriptedServer.http {
      HTTPResponse(text: "\($0.method) \(String(decoding: $0.body, as: UTF8.self))")
    }
    let posted = try await Urlload.run(["-d", "a=1", "-d", "@-", server.url().absoluteString], input: Data("b=2".utf8))
    #expect(posted.text == "POST a=1&b=2")
    #expect(server.requests.first?.fields["Content-Type"] == "application/x-www-form-urlencoded")
  }

  @Test(arguments: ["10-19", "1000-", "-24"]) func loadsARange(range: String) async throws {
    let server = try await NginxServer.shared
    let ftp = try await FTPServer.shared
    let bytes =
      switch range {
      case "10-19": DocumentRoot.small[10..<20]
      default: DocumentRoot.small.suffix(24)
      }
    let file = server.documentRoot.appendingPathComponent("small.txt")
    for url in [server.url(), ftp.url(), file] {
      let outcome = try await Urlload.run(["-r", range, url.absoluteString])
      #expect(TestFiles.firstDifference(outcome.output, bytes) == nil, "\(url): \(outcome.error)")
    }
  }

  @Test func refusesTheWholeInPlaceOfARange() async throws {
    let outcome = try await Urlload.run([
      "-r", "0-9", try await NginxServer.shared.url("/noranges/small.txt").absoluteString,
    ])
    #expect(outcome.status == .exited(10))
    #expect(outcome.output.isEmpty)
    #expect(outcome.error.contains("leave out -r"))
  }

  @Test func uploads() async throws {
    let server = try await NginxServer.shared
    let folder = try TemporaryDirectory("urlload")
    try TestFiles.write(count: 3_000_000, seed: 9, to: folder.file("a.bin"))
    let url = server.url("/upload/urlload/").absoluteString
    let outcome = try await Urlload.run(["-T", "a.bin", url], in: folder)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    let stored = server.uploads.appendingPathComponent("urlload/a.bin")
    #expect(try TestFiles.firstDifference(in: stored, count: 3_000_000, seed: 9) == nil)

    let ftp = try await FTPServer.start()
    let target = ftp.url("/up.bin").absoluteString
    let login = "\(FTPServer.user):\(FTPServer.password)"
    let sent = try await Urlload.run(["-T", "a.bin", "-u", login, target], in: folder)
    #expect(sent.status == .exited(0), "\(sent.error)")
    #expect(
      try TestFiles.firstDifference(in: ftp.documentRoot.appendingPathComponent("up.bin"), count: 3_000_000, seed: 9)
        == nil)
    await ftp.stop()
  }

  @Test func uploadsStandardInput() async throws {
    let server = try ScriptedServer.http { HTTPResponse(text: "\($0.method) \($0.body.count)") }
    let outcome = try await Urlload.run(["-T", "-", server.url().absoluteString], input: Data(count: 100_000))
    #expect(outcome.text == "PUT 100000", "\(outcome.error)")
  }

  @Test func asksForHeadsOnly() async throws {
    let server = try await NginxServer.shared
    let http = try await Urlload.run(["-I", server.url().absoluteString])
    #expect(http.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(http.text.contains("Content-Length: 1024\r\n"))
    #expect(await server.waitForAccess("HEAD /small.txt"))
    let file = try await Urlload.run(["-I", server.documentRoot.appendingPathComponent("large.bin").absoluteString])
    #expect(file.status == .exited(0), "\(file.error)")
    #expect(file.text.contains("Content-Length: \(DocumentRoot.largeSize)\n"))
    let data = try await Urlload.run(["-I", "data:text/html,abc"])
    #expect(data.text.contains("Content-Type: text/html") && data.text.contains("Content-Length: 3\n"))
  }

  @Test func showsWhatIsSaidWithoutSecrets() async throws {
    let server = try await NginxServer.shared
    let outcome = try await Urlload.run([
      "-v", "-H", "Authorization: Basic c2VjcmV0", server.url("/redirect/302").absoluteString,
    ])
    #expect(outcome.output == DocumentRoot.small)
    let lines = outcome.error.split(separator: "\n")
    let told = [
      "* connected to 127.0.0.1 port ", "> GET /redirect/302 HTTP/1.1", "> Host: 127.0.0.1:",
      "> Authorization: Basic ***",
      "< HTTP/1.1 302 Found", "< Location: ", "* redirected to \(server.url().absoluteString)",
      "> GET /small.txt HTTP/1.1",
      "< HTTP/1.1 200 OK", "< Content-Type: ",
    ]
    // In the order of the wire.
    var rest = lines[...]
    for text in told {
      let index = try #require(rest.firstIndex { $0.hasPrefix(text) }, "\(text) is not in its place: \(outcome.error)")
      rest = rest[(index + 1)...]
    }
    #expect(
      try await Urlload.run([
        "-v", "--show-secrets", "-H", "Authorization: Basic c2VjcmV0", server.url().absoluteString,
      ])
      .error.contains("> Authorization: Basic c2VjcmV0"))
    #expect(lines.contains { $0.hasPrefix("* time since the start: ") && $0.contains("first byte") })
    #expect(lines.contains { $0.hasPrefix("* peer: http/1.1, 127.0.0.1 port ") })
    #expect(!outcome.error.contains("c2VjcmV0"))
  }

  @Test func logsIn() async throws {
    let url = try await NginxServer.shared.url("/basic/small.txt").absoluteString
    #expect(try await Urlload.run(["-u", "user:password", url]).output == DocumentRoot.small)
    for arguments in [["-u", "user:wrong", url], [url]] {
      let outcome = try await Urlload.run(arguments)
      #expect(outcome.status == .exited(7), "\(outcome.error)")
    }
    // In a session of its own it has no terminal to ask.
    let asked = try await Command.run("setsid", ["--wait", BuiltProgram.path("urlload"), "-u", "user", url])
    #expect(asked.status == .exited(2))
    #expect(asked.error.contains("-u USER:PASSWORD"))
  }

  @Test func keepsThePasswordFromOtherServers() async throws {
    let other = try ScriptedServer.http { request in
      HTTPResponse(
        request.fields["Authorization"] == nil ? 401 : 200, fields: ["WWW-Authenticate": "Basic realm=\"x\""])
    }
    let first = try ScriptedServer.http { _ in .redirect(to: other.url().absoluteString) }
    let outcome = try await Urlload.run(["-u", "user:password", first.url().absoluteString])
    #expect(outcome.status == .exited(7))
    #expect(!other.requests.isEmpty)
    #expect(other.requests.allSatisfy { $0.fields["Authorization"] == nil })
  }

  @Test func goesThroughAProxy() async throws {
    let url = try await NginxServer.shared.url().absoluteString
    let proxy = try ScriptedServer.http { HTTPResponse(text: $0.target) }
    let outcome = try await Urlload.run(["--proxy", proxy.url("").absoluteString, "http://example.invalid/a"])
    #expect(outcome.text == "http://example.invalid/a", "\(outcome.error)")
    let refused = try await Urlload.run(["--proxy", "ftp://127.0.0.1:1", url])
    #expect(refused.status == .exited(2))
  }
}
