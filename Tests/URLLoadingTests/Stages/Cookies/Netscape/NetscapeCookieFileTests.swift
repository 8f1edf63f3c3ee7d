import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// The format by itself, and beside the programs that have it.
@Suite(.timeLimit(.minutes(4))) struct NetscapeCookieFileTests {
  private let now = Date(timeIntervalSince1970: 1_000_000)

  private func read(_ text: String) -> NetscapeCookieFile { NetscapeCookieFile(Data(text.utf8), now: now) }

  private func line(_ fields: String...) -> String { fields.joined(separator: "\t") }

  @Test func readsWhatCurlDocuments() throws {
    let file = read(
      """
      # Netscape HTTP Cookie File
      # https://curl.se/docs/http-cookies.html

      \(line("example.com", "FALSE", "/foobar/", "TRUE", "1462299217", "person", "daniel"))
      \(line("#HttpOnly_.example.com", "TRUE", "/", "FALSE", "0", "session", "a=b"))\r
      \(line("www.Example.com", "true", "/", "false", "1462299217.5", "name", ""))
      \(line("example.com", "FALSE", "/", "FALSE", "1462299217", "stripped"))
      """)
    #expect(file.malformedLines.isEmpty, "\(file.malformedLines)")
    #expect(file.cookies.map(\.name) == ["person", "session", "name", "stripped"])
    let (first, second, third) = (file.cookies[0], file.cookies[1], file.cookies[2])
    #expect(first.domain == "example.com" && first.path == "/foobar/" && first.isSecure && !first.isHTTPOnly)
    #expect(first.expiresDate == Date(timeIntervalSince1970: 1_462_299_217))
    #expect(second.domain == ".example.com" && second.isSessionOnly && second.isHTTPOnly && second.value == "a=b")
    #expect(third.domain == ".www.example.com" && third.value.isEmpty)
  }

  @Test(arguments: [
    ("a b c", "there are 1 fields"), ("a\tTRUE\t/\tFALSE\t0\tn\tv\tx", "there are 8 fields"),
    ("a\tyes\t/\tFALSE\t0\tn\tv", "\"subdomains\" is neither"), ("a\tTRUE\t/\t1\t0\tn\tv", "\"secure\" is neither"),
    ("a\tTRUE\t/\tTRUE\tsoon\tn\tv", "no number"), ("a\tTRUE\t/\tTRUE\t1-\tn\tv", "no number"),
    ("\tTRUE\t/\tTRUE\t0\tn\tv", "no name or address"), ("a\tTRUE\tx\tTRUE\t0\tn\tv", "slash"),
    ("a\tTRUE\t/\tTRUE\t0\t\t", "neither a name"),
    ("a\tTRUE\t/\tTRUE\t0\tn\tv;", "semicolon"), ("a\tTRUE\t/\tTRUE\t0\tn\u{1}\tv", "control"),
    ("a\tTRUE\t/\tTRUE\t0\tn=\tv", "semicolon"),
    ("example.org\tTRUE\t/\tTRUE\t0\t__Host-n\tv", "__Host-"), ("a\tFALSE\t/\tFALSE\t0\t__Secure-n\tv", "__Secure-"),
  ])
  func tellsWhatIsWrongWithALine(text: String, reason: String) {
    let file = read("# comment\n\(text)\nexample.org\tFALSE\t/\tFALSE\t0\tgood\tsecret\n")
    #expect(file.cookies.map(\.name) == ["good"])
    #expect(file.malformedLines.map(\.number) == [2])
    let description = file.malformedLines.first?.description ?? ""
    #expect(description.contains(reason) && description.hasPrefix("line 2: "), "\(description)")
    #expect(!description.contains("secret"))
  }

  /// curl writes cookies as servers have sent them.
  @Test func octetsThatAreNoUTF8StayWhatTheyAre() {
    let line = Data("a\tFALSE\t/\tTRUE\t0\tn\t".utf8) + [0xFF, 0xC3, 0xA9, 0x0A]
    let file = NetscapeCookieFile(line + Data("# x".utf8) + [0xFF])
    #expect(file.malformedLines.isEmpty && file.cookies.map(\.value) == ["\u{FF}\u{C3}\u{A9}"])
    #expect(file.data.suffix(line.count) == line)
    let text = NetscapeCookieFile(Data("a\tFALSE\t/\tTRUE\t0\tn\té\n".utf8))
    #expect(text.cookies.map(\.value) == ["é"] && text.data.suffix(4) == Data("\té\n".utf8))
  }

  @Test func aPublicSuffixOrAnAddressIsTheDomainOfOneHost() {
    let file = read(
      ["com", ".co.uk", "127.0.0.1", "::1", "localhost"].map { line($0, "TRUE", "/", "FALSE", "0", "n", "v") }.joined(
        separator: "\n"))
    #expect(file.cookies.map(\.domain) == ["com", "co.uk", "127.0.0.1", "::1", "localhost"])
  }

  @Test func whatHasExpiredIsLeftOut() {
    #expect(read(line("a.org", "TRUE", "/", "FALSE", "999999", "n", "v")).cookies.isEmpty)
    #expect(read(line("a.org", "TRUE", "/", "FALSE", "-1", "n", "v")).cookies.isEmpty)
    #expect(read(line("a.org", "TRUE", "/", "FALSE", "99999999999999999999", "n", "v")).cookies.count == 1)
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let origin = try #require(CookieOrigin("https://www.example.org/"))
    let texts = [
      "a=1; Max-Age=1000; Secure; HttpOnly; Path=/x", "b=2; Domain=example.org", "=nameless",
      "c=; Expires=Wed, 01 Jan 2098 00:00:00 GMT",
      "ü=ö", "__Host-h=1; Secure; Path=/", "tab=a\tb", "space=a b",
    ]
    let cookies = texts.compactMap { HTTPCookie(setCookie: $0, origin: origin) }
    #expect(cookies.count == texts.count)
    let file = NetscapeCookieFile(NetscapeCookieFile(cookies: cookies).data)
    #expect(file.malformedLines.isEmpty, "\(file.malformedLines)")
    #expect(file.cookies.map(\.name) == cookies.map(\.name).filter { $0 != "tab" })
    for (read, written) in zip(file.cookies, cookies.filter { $0.name != "tab" }) {
      #expect(read.value == written.value && read.domain == written.domain && read.path == written.path)
      #expect(read.isSecure == written.isSecure && read.isHTTPOnly == written.isHTTPOnly)
      let (left, right) = (read.expiresDate?.timeIntervalSince1970, written.expiresDate?.timeIntervalSince1970)
      #expect(left == right?.rounded(.up))
    }
  }

  @Test func theFileIsItsOwnersAloneAndWhole() throws {
    let directory = try TemporaryDirectory("netscape")
    let file = try directory.write("cookies.txt", "old")
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let cookies = read(line("a.org", "TRUE", "/", "FALSE", "0", "n", "v")).cookies
    try NetscapeCookieFile(cookies: cookies).write(to: link)
    #expect(try NetscapeCookieFile(contentsOf: file).cookies == cookies)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["cookies.txt", "link"])
    let missing = directory.file("none/cookies.txt")
    let error = #expect(throws: CocoaError.self) { try NetscapeCookieFile(cookies: []).write(to: missing) }
    #expect(error?.localizedDescription.contains("none/cookies.txt cannot be written") == true)
    #expect(throws: CocoaError.self) { try NetscapeCookieFile(cookies: []).write(to: "https://example.org/") }
    #expect(throws: (any Error).self) { try NetscapeCookieFile(contentsOf: missing) }
  }

  // MARK: Other programs

  /// Answers with the `Cookie` field, and sets what the path says.
  private func server() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      let values = [
        "/set": ["a=1; Max-Age=1000; HttpOnly", "b=2", "c=x=y; Path=/sub; Max-Age=1000", "d=4; Secure; Max-Age=1000"]
      ]
      let fields = (values[request.path] ?? []).map { ("Set-Cookie", $0) }
      return HTTPResponse(fields: HTTPFields(fields), body: Data((request.fields["Cookie"] ?? "none").utf8))
    }
  }

  @Test func readsWhatCurlWrites() async throws {
    let server = try server()
    let directory = try TemporaryDirectory("netscape")
    let jar = directory.file("jar")
    try await Command.check("curl", ["-sS", "-c", jar.path, server.url("/set").absoluteString])
    let file = try NetscapeCookieFile(contentsOf: jar)
    #expect(file.malformedLines.isEmpty, "\(file.malformedLines)")
    let storage = HTTPCookieStorage()
    for cookie in file.cookies { storage.setCookie(cookie) }
    #expect(
      storage.cookieHeader(for: server.url("/sub/x"))?.split(separator: "; ").sorted() == ["a=1", "b=2", "c=x=y"])
    #expect(file.cookies.first { $0.name == "a" }?.isHTTPOnly == true)
    #expect(file.cookies.first { $0.name == "b" }?.isSessionOnly == true)
    #expect(file.cookies.allSatisfy { $0.domain == "127.0.0.1" })
  }

  @Test func curlAndPythonReadWhatIsWritten() async throws {
    let server = try server()
    let directory = try TemporaryDirectory("netscape")
    let storage = HTTPCookieStorage()
    storage.store(
      setCookieValues: ["a=1; Max-Age=1000; HttpOnly", "b=2", "c=3; Path=/sub; Max-Age=1000"], from: server.url("/"))
    storage.store(setCookieValues: ["d=4; Domain=example.org; Max-Age=1000; Secure"], from: "https://www.example.org/")
    let jar = directory.file("jar")
    try NetscapeCookieFile(cookies: storage.cookies ?? []).write(to: jar)
    let sent = try await Command.check("curl", ["-sS", "-b", jar.path, server.url("/sub/x").absoluteString])
    #expect(String(decoding: sent, as: UTF8.self).split(separator: "; ").sorted() == ["a=1", "b=2", "c=3"])
    let script = """
      import sys, http.cookiejar
      jar = http.cookiejar.MozillaCookieJar(sys.argv[1])
      jar.load(ignore_discard=True, ignore_expires=True)
      for c in sorted(jar, key=lambda c: c.name):
          print(c.name, c.value, c.domain, c.path, c.secure, c.discard, c.domain_specified)
      jar.set_cookie(http.cookiejar.Cookie(0, "e", "5", None, False, "127.0.0.1", False, False, "/", True, False, None, True, None, None, {}))
      jar.save(sys.argv[2], ignore_discard=True, ignore_expires=True)
      """
    let again = directory.file("again")
    let listed = try await Command.check(try PackageFolder.python, ["-c", script, jar.path, again.path])
    #expect(
      String(decoding: listed, as: UTF8.self) == """
        a 1 127.0.0.1 / False False False
        b 2 127.0.0.1 / False False False
        c 3 127.0.0.1 /sub False False False
        d 4 .example.org / True False True

        """)
    let cookies = try NetscapeCookieFile(contentsOf: again).cookies.sorted { $0.name < $1.name }
    #expect(cookies.map(\.name) == ["a", "b", "c", "d", "e"])
    #expect(cookies.map(\.isSessionOnly) == [false, true, false, false, true])
  }

  @Test func readsTheFormOfWget() {
    let file = read(
      """
      # HTTP Cookie File
      # Generated by Wget on 2026-01-01 00:00:00.
      # Edit at your own risk.

      \(line("127.0.0.1:8080", "FALSE", "/", "FALSE", "1462299217", "a", "1"))
      \(line("example.org", "TRUE", "/sub", "TRUE", "0", "b", "2"))
      \(line("::1", "FALSE", "/", "FALSE", "0", "c", "3"))
      """)
    #expect(file.malformedLines.isEmpty, "\(file.malformedLines)")
    #expect(file.cookies.map(\.domain) == ["127.0.0.1", ".example.org", "::1"])
    #expect(file.cookies.map(\.isSessionOnly) == [false, true, true])
  }

  /// Sets cookies at `/sub/set`: wget takes none whose path is not one of the request's.
  private func serverBelowSub() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      let values = ["a=1; Path=/; Max-Age=1000", "b=2; Path=/", "c=x=y; Path=/sub; Max-Age=1000"]
      let fields = request.path == "/sub/set" ? values.map { ("Set-Cookie", $0) } : []
      return HTTPResponse(fields: HTTPFields(fields), body: Data((request.fields["Cookie"] ?? "none").utf8))
    }
  }

  @Test func readsWhatWgetWrites() async throws {
    let server = try serverBelowSub()
    let directory = try TemporaryDirectory("netscape")
    let jar = directory.file("jar")
    try await Command.check(
      "wget",
      [
        "-q", "-O", "/dev/null", "--save-cookies", jar.path, "--keep-session-cookies",
        server.url("/sub/set").absoluteString,
      ]
    )
    let file = try NetscapeCookieFile(contentsOf: jar)
    #expect(file.malformedLines.isEmpty, "\(file.malformedLines)")
    #expect(file.cookies.map(\.domain) == ["127.0.0.1", "127.0.0.1", "127.0.0.1"])
    let storage = HTTPCookieStorage()
    for cookie in file.cookies { storage.setCookie(cookie) }
    #expect(
      storage.cookieHeader(for: server.url("/sub/x"))?.split(separator: "; ").sorted() == ["a=1", "b=2", "c=x=y"])
    #expect(file.cookies.first { $0.name == "b" }?.isSessionOnly == true)
    #expect(file.cookies.first { $0.name == "a" }?.isSessionOnly == false)
  }

  /// To wget a line of an HttpOnly cookie is a comment.
  @Test func wgetReadsWhatIsWritten() async throws {
    let server = try serverBelowSub()
    let directory = try TemporaryDirectory("netscape")
    let storage = HTTPCookieStorage()
    storage.store(
      setCookieValues: ["a=1; Max-Age=1000", "b=2", "c=3; Path=/sub; Max-Age=1000", "d=4; Path=/other"],
      from: server.url("/"))
    let jar = directory.file("jar")
    try NetscapeCookieFile(cookies: storage.cookies ?? []).write(to: jar)
    let sent = try await Command.check(
      "wget", ["-q", "-O", "-", "--load-cookies", jar.path, server.url("/sub/x").absoluteString])
    #expect(String(decoding: sent, as: UTF8.self).split(separator: "; ").sorted() == ["a=1", "b=2", "c=3"])
  }
}
