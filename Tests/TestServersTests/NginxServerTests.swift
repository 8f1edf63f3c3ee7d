import Foundation
import Testing
import URLLoadingTestServers

@Suite struct NginxServerTests {
  @Test func servesFilesWithRangesAndValidators() async throws {
    let server = try await NginxServer.shared
    let small = try await Curl.run(["-i", server.url("/small.txt").absoluteString])
    #expect(small.text.hasSuffix(String(decoding: DocumentRoot.small, as: UTF8.self)))
    #expect(DocumentRoot.small.count == 1024)
    #expect(small.text.contains("\r\nETag: "))
    #expect(small.text.contains("\r\nLast-Modified: "))
    let part = try await Curl.run(["-r", "1000000-1999999", server.url("/large.bin").absoluteString])
    #expect(difference(part.output, from: TestFiles.pattern(count: 1_000_000, offset: 1_000_000)) == nil)
    #expect(await server.waitForAccess("\"bytes=1000000-1999999\""))
    let whole = try await Curl.run(["-i", "-r", "0-9", server.url("/noranges/small.txt").absoluteString])
    #expect(whole.text.hasPrefix("HTTP/1.1 200"))
    let plain = try await Curl.run(["-i", server.url("/novalidators/small.txt").absoluteString])
    #expect(plain.text.hasPrefix("HTTP/1.1 200"))
    #expect(!plain.text.contains("ETag") && !plain.text.contains("Last-Modified"))
  }

  @Test(.enabled(if: FreePort.hasIPv6)) func answersOverIPv6() async throws {
    let outcome = try await Curl.run(["-g", try await NginxServer.shared.url(on: .httpIPv6).absoluteString])
    #expect(outcome.output == DocumentRoot.small)
  }

  @Test func speaksTLS() async throws {
    let server = try await NginxServer.shared
    let format = ["-o", "/dev/null", "-w", "%{http_version} %{response_code}"]
    #expect(try await Curl.trusting(format + [server.url(on: .https).absoluteString]).text == "2 200")
    #expect(
      try await Curl.trusting(format + [server.url(on: .https, host: "localhost").absoluteString]).text == "2 200")
    #expect(try await Curl.trusting(format + [server.url(on: .httpsHTTP1).absoluteString]).text == "1.1 200")
    for listener in [NginxServer.Listener.httpsExpired, .httpsWrongHost, .httpsSelfSigned] {
      let outcome = try await Curl.trusting([server.url(on: listener).absoluteString])
      #expect(outcome.status == .exited(60), "\(listener): \(outcome.error)")
    }
    let client = try await TestCertificates.shared.client
    let echo = server.url("/echo", on: .httpsClientCertificate).absoluteString
    #expect(try await Curl.trusting(format + [echo]).text == "2 400")
    let known = try await Curl.trusting(["--cert", client.certificate.path, "--key", client.key.path, echo])
    #expect(known.text.contains("client: CN=client\n"))
  }

  @Test(arguments: [301, 302, 303, 307, 308]) func redirects(status: Int) async throws {
    let server = try await NginxServer.shared
    let url = server.url("/redirect/\(status)?to=/echo").absoluteString
    let outcome = try await Curl.run(["-o", "/dev/null", "-w", "%{response_code} %header{location}", url])
    #expect(outcome.text == "\(status) /echo")
  }

  @Test func answersForTests() async throws {
    let server = try await NginxServer.shared
    let status = try await Curl.run(["-w", "%{response_code}", server.url("/status/503").absoluteString])
    #expect(status.text == "status 503\n503")
    let echo = try await Curl.run([
      "-X", "POST", "-d", "abc", "-H", "X-Test: yes", server.url("/echo?a=b").absoluteString,
    ])
    #expect(echo.text.hasPrefix("method: POST\ntarget: /echo?a=b\nprotocol: HTTP/1.1\n"))
    #expect(echo.text.contains("content-length: 3\n") && echo.text.contains("x-test: yes\n"))
    let cookies = try await Curl.run([
      "-c", "/dev/null", server.url("/cookies/set").absoluteString, server.url("/cookies/echo").absoluteString,
    ])
    #expect(cookies.text.contains("second=2"))
    let basic = server.url("/basic/small.txt").absoluteString
    #expect(try await Curl.run(["-o", "/dev/null", "-w", "%{response_code}", basic]).text == "401")
    #expect(try await Curl.run(["-u", "user:password", basic]).output == DocumentRoot.small)
    let gzip = try await Curl.run(["--compressed", "-i", server.url("/gzip/small.txt").absoluteString])
    #expect(gzip.text.contains("Content-Encoding: gzip") && gzip.text.contains("small line 063."))
  }

  @Test func takesUploads() async throws {
    let server = try await NginxServer.shared
    let folder = try TemporaryDirectory()
    let file = folder.file("upload.bin")
    try TestFiles.write(count: 3_000_000, seed: 5, to: file)
    let url = server.url("/upload/one/two.bin").absoluteString
    #expect(try await Curl.run(["-T", file.path, "-w", "%{response_code}", url]).text == "201")
    let stored = server.uploads.appendingPathComponent("one/two.bin")
    #expect(try TestFiles.firstDifference(in: stored, count: 3_000_000, seed: 5) == nil)
    #expect(try await Curl.run(["-X", "DELETE", "-w", "%{response_code}", url]).text == "204")
  }

  @Test func limitsTheRate() async throws {
    let server = try await NginxServer.shared
    let url = server.url("/slow/large.bin?rate=400k").absoluteString
    // nginx grants the first second's worth at once.
    let outcome = try await Curl.run(["-r", "0-599999", "-o", "/dev/null", "-w", "%{time_total}", url])
    #expect((Double(outcome.text) ?? 0) > 0.3)
  }

  @Test func stopsAndCleansUp() async throws {
    let server = try await NginxServer.start(largeSize: 1000, locations: "location = /own { return 200 'own'; }")
    #expect(try await Curl.run([server.url("/own").absoluteString]).text == "own")
    await server.stop()
    #expect(!FreePort.answers(server.port()))
    #expect(!FileManager.default.fileExists(atPath: server.documentRoot.path))
  }
}
