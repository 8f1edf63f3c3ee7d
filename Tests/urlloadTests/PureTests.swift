import Foundation
import Testing
import URLLoading

@testable import urlload

/// The parts that need no process.
@Suite struct PureTests {
  @Test func sizesAndTimes() {
    #expect(ByteText.size(0) == "0 B")
    #expect(ByteText.size(999) == "999 B")
    #expect(ByteText.size(1000) == "1.0 kB")
    #expect(ByteText.size(999_960) == "1.0 MB")
    #expect(ByteText.size(.max) == "9.2 EB")
    #expect(ByteText.time(0.1) == "1 s")
    #expect(ByteText.time(125) == "2:05")
    #expect(ByteText.time(3725) == "1:02:05")
    #expect(ByteText.time(.infinity) == "long")
  }

  @Test func theFileCreationMaskIsRead() throws {
    #expect(FileCreationMask.mask(inStatus: "Name:\tx\nUmask:\t0027\nState:\tR (running)\n") == 0o027)
    for text in ["", "Umask:\t\n", "Umask:\t9\n", "Name:\tUmask: 0022\n"] {
      #expect(FileCreationMask.mask(inStatus: text) == nil)
    }
  }

  @Test func progressLines() {
    let line = ProgressLine(label: "a.zip", done: 500_000, total: 1_000_000, rate: 250_000)
    let text = line.text(width: 80)
    #expect(text.hasPrefix("a.zip  500.0 kB of 1.0 MB  250.0 kB/s  2 s left  ["))
    #expect(text.hasSuffix("] 50%"))
    for width in 0...200 { #expect(line.text(width: width).count <= width) }
    let unknown = ProgressLine(label: "", done: 12, total: nil, rate: nil)
    #expect(unknown.text(width: 80) == "12 B")
    let evil = ProgressLine(label: "a\u{1B}[2J\n", done: 0, total: 0, rate: 0)
    #expect(evil.text(width: 80) == "a?[2J   0 B of 0 B  0 B/s")
    let beyond = ProgressLine(label: "x", done: 30, total: 10, rate: 1)
    #expect(beyond.text(width: 80).hasSuffix("100%"))
  }

  @Test func whatIsTooMuchToBeCountedIsUnknown() {
    func load(_ done: Int64, of total: Int64?) -> LoadStatus.Snapshot {
      LoadStatus.Snapshot(name: "a", done: done, total: total, hasBegun: true)
    }
    let unknown = ProgressBlock.sum(of: [load(1, of: .max), load(2, of: 1)])
    #expect(unknown.total == nil && unknown.done == 3)
    #expect(ProgressBlock.sum(of: [load(1, of: .max - 1), load(2, of: 1)]).total == .max)
    #expect(ProgressBlock.sum(of: [load(.max, of: nil), load(1, of: nil)]).done == .max)
    let fast = ProgressLine(label: "a", done: 0, total: nil, rate: 1e20)
    #expect(fast.text(width: 80).hasSuffix("9.2 EB/s"))
  }

  @Test func ratesForgetThePast() {
    var meter = RateMeter()
    #expect(meter.rate == nil)
    meter.add(0, at: 0)
    #expect(meter.rate == nil)
    meter.add(1000, at: 1)
    #expect(meter.rate == 1000)
    for second in 2...20 { meter.add(1000, at: Double(second)) }
    #expect(meter.rate == 0)
    meter.add(10, at: 21)
    #expect(meter.rate == nil)
  }

  @Test func outputPlans() throws {
    func plan(_ count: Int, _ files: [String], names: Bool = false, in directory: String? = nil) throws
      -> [OutputPlan.Target]
    {
      let urls = (0..<count).map { [URLGlob.Member(text: "u\($0)")] }
      return try OutputPlan(urls: urls, files: files, usesSuggestedNames: names, directory: directory).targets
    }
    #expect(try plan(1, []) == [.standardOutput])
    #expect(try plan(2, []) == [.standardOutput, .standardOutput])
    #expect(try plan(1, ["-"], in: "d") == [.standardOutput])
    #expect(try plan(2, ["a", "/b"], in: "d") == [.file("d/a"), .file("/b")])
    #expect(try plan(2, [], names: true) == [.suggestedName(in: "."), .suggestedName(in: ".")])
    for (count, files, names) in [(2, ["a"], false), (2, ["a", "a"], false), (1, ["a"], true)] {
      #expect(throws: Failure.self) { try plan(count, files, names: names) }
    }
    let members = try URLGlob.members(of: "u[1-2]")
    #expect(
      try OutputPlan(urls: [members], files: ["f#1"], usesSuggestedNames: false).targets == [.file("f1"), .file("f2")])
    #expect(throws: Failure.self) { try OutputPlan(urls: [members], files: ["f"], usesSuggestedNames: false) }
  }

  @Test func options() throws {
    #expect(try OptionReader.header("A:b:c") == LoadOptions.Header(name: "A", value: "b:c"))
    #expect(try OptionReader.header("A:").value == nil)
    #expect(try OptionReader.header("A;").value == "")
    for text in ["A", ": b", "A b: c", "A: b\r\nC: d", ""] {
      #expect(throws: Failure.self) { try OptionReader.header(text) }
    }
    #expect(try OptionReader.range("0-9") == .positions(first: 0, last: 9))
    #expect(try OptionReader.range("-9") == .suffix(length: 9))
    for text in ["", "-", "9-0", "a-b", "0-1,3-4"] {
      #expect(throws: Failure.self) { try OptionReader.range(text) }
    }
    #expect(OptionReader.login("a:b:c") == LoadOptions.Login(user: "a", password: "b:c"))
    #expect(OptionReader.login("a") == LoadOptions.Login(user: "a", password: nil))
  }

  @Test func proxies() throws {
    let http = try ProxyOption("localhost:3128")
    #expect(http.kind == .http && http.host == "localhost" && http.port == 3128)
    #expect(http.dictionary["HTTPSProxy"] as? String == "localhost")
    let socks = try ProxyOption("socks5h://me:pw@[::1]")
    #expect(socks.kind == .socks5 && socks.host == "::1" && socks.port == 1080 && socks.user == "me")
    #expect(socks.dictionary["SOCKSPassword"] as? String == "pw")
    #expect(try ProxyOption("http://h").port == 1080)
    #expect(throws: Failure.self) { try ProxyOption("gopher://localhost") }
    #expect(throws: Failure.self) { try ProxyOption("") }
  }

  @Test func requests() throws {
    let url = try #require(URL(string: "http://host/folder/"))
    var options = LoadOptions()
    #expect(RequestBuilder.request(for: url, options).httpMethod == "GET")
    options.headOnly = true
    #expect(RequestBuilder.method(options) == "HEAD")
    options.body = .file("/tmp/a b.txt")
    let upload = RequestBuilder.request(for: url, options)
    #expect(upload.httpMethod == "PUT" && upload.url?.absoluteString == "http://host/folder/a%20b.txt")
    let ftp = try #require(URL(string: "ftp://host/a"))
    options.body = nil
    options.login = LoadOptions.Login(user: "me", password: "p@ss word")
    #expect(RequestBuilder.request(for: ftp, options).url?.absoluteString == "ftp://me:p%40ss%20word@host/a")
    #expect(RequestBuilder.request(for: url, options).url == url)
    options.method = "POST"
    #expect(RequestBuilder.method(options) == "POST")
  }

  @Test func retries() throws {
    let get = RetryPolicy(retries: 3, method: "GET")
    #expect(get.delay(after: URLError(.networkConnectionLost), attempt: 1) == 0.5)
    #expect(get.delay(after: URLError(.networkConnectionLost), attempt: 3) == 2)
    #expect(get.delay(after: URLError(.networkConnectionLost), attempt: 4) == nil)
    #expect(get.delay(after: URLError(.serverCertificateUntrusted), attempt: 1) == nil)
    for (reply, delay) in [(425, 0.5), (450, 0.5), (421, 0.5), (550, nil), (530, nil)] as [(Int, Double?)] {
      let cause = NSError(domain: "libcurl", code: 19, userInfo: ["FTPReplyCode": reply])
      let error = URLError(.badServerResponse, userInfo: [NSUnderlyingErrorKey: cause])
      #expect(get.delay(after: error, attempt: 1) == delay, "\(reply)")
    }
    #expect(get.delay(afterStatus: 404, retryAfter: nil, attempt: 1) == nil)
    #expect(get.delay(afterStatus: 503, retryAfter: "7", attempt: 1) == 7)
    #expect(get.delay(afterStatus: 503, retryAfter: "7000", attempt: 1) == nil)
    let now = try #require(try? Date("2026-11-21T08:00:00Z", strategy: .iso8601))
    #expect(
      get.delay(afterStatus: 429, retryAfter: "Sat, 21 Nov 2026 08:00:09 GMT", attempt: 1, now: now) == 9)
    // An obsolete format, which a recipient must accept (RFC 9110, section 5.6.7).
    #expect(get.delay(afterStatus: 429, retryAfter: "Saturday, 21-Nov-26 08:00:09 GMT", attempt: 1, now: now) == 9)
    #expect(RetryPolicy(retries: 99, method: "GET").delay(after: URLError(.timedOut), attempt: 90) == 30)
    let post = RetryPolicy(retries: 3, method: "POST")
    #expect(post.delay(after: URLError(.networkConnectionLost), attempt: 1) == nil)
    #expect(post.delay(after: URLError(.cannotConnectToHost), attempt: 1) == 0.5)
    #expect(post.delay(afterStatus: 429, retryAfter: nil, attempt: 1) == 0.5)
    #expect(post.delay(afterStatus: 503, retryAfter: nil, attempt: 1) == nil)
  }

  @Test func resumptions() throws {
    let url = try #require(URL(string: "http://host/"))
    func response(_ fields: [String: String], status: Int = 200) throws -> HTTPURLResponse {
      try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
    }
    let good = ["ETag": "\"a\"", "Accept-Ranges": "bytes"]
    let whole = try #require(Resumption(try response(good), isPart: false))
    var request = URLRequest(url: url)
    try #require(whole.expectation(after: 10)).apply(to: &request)
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=10-")
    #expect(request.value(forHTTPHeaderField: "If-Range") == "\"a\"")
    let part = good.merging(["Content-Range": "bytes 100-199/1000"]) { $1 }
    let ranged = try #require(Resumption(try response(part, status: 206), isPart: true))
    let missing = try #require(ranged.expectation(after: 10))
    missing.apply(to: &request)
    #expect(request.value(forHTTPHeaderField: "Range") == "bytes=110-199")
    let rest = try response(["Content-Range": "bytes 110-199/1000", "ETag": "\"a\""], status: 206)
    #expect(missing.verdict(on: rest) == .continues(try #require(rest.contentRange)))
    #expect(ranged.expectation(after: 11)?.verdict(on: rest) != missing.verdict(on: rest))
    // Nothing is missing after the last byte.
    #expect(ranged.expectation(after: 99) != nil && ranged.expectation(after: 100) == nil)
    let sized = try #require(Resumption(try response(good.merging(["Content-Length": "50"]) { $1 }), isPart: false))
    #expect(sized.expectation(after: 49) != nil && sized.expectation(after: 50) == nil)
    #expect(Resumption(try response(["ETag": "\"a\""]), isPart: false) == nil)
    #expect(Resumption(try response(good, status: 206), isPart: true) == nil)
    #expect(Resumption(try response(good.merging(["ETag": "W/\"a\""]) { $1 }), isPart: false) == nil)
    #expect(Resumption(try response(good.merging(["Content-Encoding": "gzip"]) { $1 }), isPart: false) == nil)
  }

  @Test func messagesAreOneSafeLine() throws {
    let failure = Failure(.other, "a\u{1B}[31m\nb", "x://y", advice: "c")
    #expect(failure.line == "urlload: a?[31m b, x://y: c")
    let secret = try #require(URL(string: "http://me:secret@host/a"))
    #expect(SafeText.url(secret) == "http://me:***@host/a")
    let long = try #require(URL(string: "data:," + String(repeating: "a", count: 10_000)))
    #expect(SafeText.url(long).count < 400)
  }

  @Test func fileNames() {
    #expect(FileNames.safe("a.txt") == "a.txt")
    for name in [nil, "", ".", "..", "/", "a/.."] { #expect(FileNames.safe(name) == "download") }
    #expect(FileNames.safe("../../a") == "a")
    #expect(Array(FileNames.candidates(for: "a").prefix(3)) == ["a", "a.1", "a.2"])
  }

  @Test func noSuggestedNameIsThatOfAPart() {
    for (name, safe) in [
      ("a.part", "a_part"), ("a.part.7", "a_part.7"), (".part", "_part"), ("a.part.part.1", "a_part_part.1"),
      ("a.parts", "a.parts"), ("part.a", "part.a"), ("x/a.part", "a_part"), ("a.part\u{301}", "a.part\u{301}"),
    ] {
      #expect(FileNames.safe(name) == safe)
    }
    // Cut off for a number, a long name does not become one either.
    let long = String(repeating: "a", count: 245) + ".parts"
    for candidate in FileNames.candidates(for: long).prefix(3) {
      #expect(!candidate.hasSuffix(".part") && !candidate.contains(".part."))
    }
  }
}
