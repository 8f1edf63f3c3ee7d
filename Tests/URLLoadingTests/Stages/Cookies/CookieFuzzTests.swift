import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading
@testable import URLLoadingHTTPSemantics

/// What comes from servers and files, changed at random: nothing traps, and what is accepted is what may be. A round is its seed.
///
/// `make fuzz-cookies` has them take 10 minutes.
@Suite(.timeLimit(.minutes(20)), .serialized) struct CookieFuzzTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let pieces = [
    "=", ";", ",", " ", "\t", "\"", ".", "/", ":", "-", "0", "99", "9223372036854775808", "1e9", "nan", "Max-Age=",
    "Expires=", "Domain=",
    "Path=/", "Secure", "HttpOnly", "SameSite=None", "__Host-", "__Secure-", "example.org", "co.uk", "xn--",
    "127.0.0.1", "::1", "GMT", "Feb", "includeSubDomains",
    "23:59:59", "1601", "TRUE", "FALSE", "#HttpOnly_", "#", "\r", "\n", "\u{0}", "\u{7F}", "é", "e\u{301}", "\u{FFFD}",
    "😀",
  ].map { Data($0.utf8) }

  private static func seeds(_ name: String) throws -> Data {
    try Data(contentsOf: PackageFolder.root.appendingPathComponent("Tests/Fixtures/CookieSeeds/\(name).txt"))
  }

  private static func lines(_ name: String) throws -> [Data] { try seeds(name).split(separator: 0x0A).map { Data($0) } }

  /// Changes bytes at some places: flips, puts in, takes out, doubles.
  private static func changed(_ data: Data, _ random: inout SeededGenerator) -> Data {
    var bytes = data
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let start = Int.random(in: 0...bytes.count, using: &random)
      let end = min(bytes.count, start + Int.random(in: 0...8, using: &random))
      switch Int.random(in: 0..<5, using: &random) {
      case 0 where start < bytes.count: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes.removeSubrange(start..<end)
      case 2: bytes.insert(contentsOf: Data(bytes[start..<end]), at: start)
      case 3: bytes.insert(contentsOf: random.bytes(2), at: start)
      default: bytes.insert(contentsOf: pieces.randomElement(using: &random) ?? Data(), at: start)
      }
    }
    return bytes
  }

  private static func text(_ seeds: [Data], _ random: inout SeededGenerator) -> String {
    String(decoding: changed(seeds.randomElement(using: &random) ?? Data(), &random), as: UTF8.self)
  }

  /// What holds for every cookie that is accepted from anywhere.
  private func expectSound(_ cookie: HTTPCookie, _ place: String) {
    let field = HTTPCookie.fieldValue(for: [cookie])
    #expect(!field.utf8.contains { SetCookie.isControl($0) || $0 == UInt8(ascii: ";") }, "\(place): \(field)")
    #expect(
      cookie.path.utf8.first == UInt8(ascii: "/") && !cookie.bareDomain.isEmpty && cookie.fulfilsPrefix,
      "\(place): \(cookie)")
    #expect(!(cookie.name.isEmpty && cookie.value.isEmpty), "\(place)")
    #expect(cookie.properties.flatMap { HTTPCookie(properties: $0) } == cookie, "\(place): \(cookie)")
  }

  @Test func setCookieFields() async throws {
    let seeds = try Self.lines("set-cookie")
    let origin = try #require(CookieOrigin("https://www.example.org/a/b"))
    try await FuzzRounds.run(4000, sharedBy: 5) { random, seed in
      let text = Self.text(seeds, &random)
      var store = CookieStore()
      for part in SetCookieSplitter.split(text) + [text] {
        guard let cookie = HTTPCookie(setCookie: part, origin: origin, now: Self.now) else { continue }
        expectSound(cookie, "seed \(seed)")
        #expect(cookie.name.utf8.count + cookie.value.utf8.count <= SetCookie.sizeLimit, "seed \(seed)")
        #expect(cookie.expiresDate.map { $0 <= Self.now + SetCookie.longestAge } ?? true, "seed \(seed)")
        #expect(CookieMatching.domainMatches(host: origin.host, domain: cookie.bareDomain), "seed \(seed): \(cookie)")
        #expect(cookie.isHostOnly || !PublicSuffixes.isPublicSuffix(cookie.bareDomain), "seed \(seed): \(cookie)")
        guard store.store(cookie, from: origin, now: Self.now) else { continue }
        let path = CookieMatching.pathMatches(requestPath: origin.path, cookiePath: cookie.path)
        #expect(
          !path || cookie.isExpired(at: Self.now) || store.cookies(for: origin, now: Self.now).contains(cookie),
          "seed \(seed): \(cookie)")
      }
      _ = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": text], for: "https://example.org/")
    }
  }

  @Test func strictTransportSecurityFields() async throws {
    let seeds = try Self.lines("strict-transport-security")
    try await FuzzRounds.run(4000, sharedBy: 5) { random, seed in
      let text = Self.text(seeds, &random)
      guard let field = StrictTransportSecurity(text) else { return }
      #expect((0...StrictTransportSecurity.longestAge).contains(field.maxAge), "seed \(seed): \(text)")
      // What counts has the name in it, and says the same when nothing follows.
      #expect(text.lowercased().contains("max-age"), "seed \(seed): \(text)")
      #expect(StrictTransportSecurity(text + ";") == field, "seed \(seed): \(text)")
      #expect(StrictTransportSecurity(text + "; max-age=1") == nil, "seed \(seed): \(text)")
      var store = HSTSStore(siteOf: PublicSuffixes.site)
      _ = store.record(text, from: "example.org", isSecure: true, isVerified: true, now: Self.now)
      let policy = store.policy(for: "example.org", now: Self.now)
      #expect((policy != nil) == (field.maxAge > 0), "seed \(seed): \(text)")
      let isBelow = store.policy(for: "a.example.org", now: Self.now) != nil
      #expect(isBelow == (field.maxAge > 0 && field.includesSubdomains), "seed \(seed): \(text)")
    }
  }

  @Test func dates() async throws {
    let seeds = try Self.lines("dates")
    let years = try #require(CookieDate.date(from: "1 Jan 1601 0:0:0")) ..< .distantFuture + 86_400 * 366 * 6000
    try await FuzzRounds.run(4000, sharedBy: 5) { random, seed in
      let text = Self.text(seeds, &random)
      if let date = CookieDate.date(from: text) { #expect(years.contains(date), "seed \(seed): \(text)") }
    }
  }

  @Test func netscapeFiles() async throws {
    let seeds = try Self.seeds("netscape")
    try await FuzzRounds.run(1500, sharedBy: 5) { random, seed in
      let data = Self.changed(seeds, &random)
      let file = NetscapeCookieFile(data, now: Self.now)
      for cookie in file.cookies { expectSound(cookie, "seed \(seed)") }
      let lineCount = data.count { $0 == 0x0A } + 1
      #expect(
        file.malformedLines.allSatisfy { (1...lineCount).contains($0.number) && !$0.reason.isEmpty }, "seed \(seed)")
      #expect(file.cookies.count + file.malformedLines.count <= lineCount, "seed \(seed)")
      let again = NetscapeCookieFile(NetscapeCookieFile(cookies: file.cookies).data, now: Self.now)
      #expect(again.malformedLines.isEmpty, "seed \(seed): \(again.malformedLines)")
      #expect(again.cookies.map(\.value) == file.cookies.map(\.value), "seed \(seed)")
    }
  }

  // MARK: Databases

  private func flush(_ storage: HTTPCookieStorage) async {
    await withCheckedContinuation { done in storage.flush { done.resume() } }
  }

  private func note(_ field: String, from host: String, in storage: HTTPCookieStorage) {
    storage.recordTransportSecurity(field, from: host, isSecure: true, isVerified: true)
  }

  /// The files of a good database of some cookies and policies: one whose log is not yet in it, and one without a log.
  private func goodFiles(in directory: TemporaryDirectory) async throws -> (
    known: Set<HTTPCookie>, files: [[String: Data]]
  ) {
    let storage = HTTPCookieStorage(in: directory.file("good").path)
    for index in 0..<60 {
      storage.store(
        setCookieValues: ["c\(index)=\(index); Max-Age=90000; Path=/\(index)"], from: "https://example.org/")
    }
    for index in 0..<20 { note("max-age=90000", from: "h\(index).example.org", in: storage) }
    await flush(storage)
    let path = directory.file("good/cookies.sqlite").path
    func read(_ suffixes: [String]) throws -> [String: Data] {
      try Dictionary(uniqueKeysWithValues: suffixes.map { ($0, try Data(contentsOf: URL(fileURLWithPath: path + $0))) })
    }
    let logged = try read(["", "-wal"])
    let script = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA wal_checkpoint(TRUNCATE)')"
    try await Command.check(try PackageFolder.python, ["-c", script, path])
    return (Set(storage.cookies ?? []), [logged, try read([""])])
  }

  @Test func databases() async throws {
    let directory = try TemporaryDirectory("fuzz")
    let (known, files) = try await goodFiles(in: directory)
    #expect(known.count == 60)
    try await FuzzRounds.run(60, sharedBy: 5) { random, seed in
      let folder = "round-\(seed)"
      for (suffix, data) in files.randomElement(using: &random) ?? [:] {
        var bytes = data
        for _ in 0..<Int.random(in: 0...20, using: &random) where !bytes.isEmpty {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1 ... .max, using: &random)
        }
        // A file may also end too early.
        if Int.random(in: 0..<4, using: &random) == 0 {
          bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
        }
        try directory.write("\(folder)/cookies.sqlite\(suffix)", bytes)
      }
      let path = directory.file(folder).path
      let storage = HTTPCookieStorage(in: path)
      let found = Set(storage.cookies ?? [])
      #expect(found.isSubset(of: known), "seed \(seed): \(found.subtracting(known))")
      for host in ["example.org", "h20.example.org"] + (0..<20).map({ "a.h\($0).example.org" }) {
        #expect(!storage.requiresSecureTransport(to: host), "seed \(seed): \(host)")
      }
      note("max-age=90000", from: "new.example.org", in: storage)
      storage.store(setCookieValues: ["new=1; Max-Age=90000"], from: "https://example.org/")
      await flush(storage)
      let last = HTTPCookieStorage(in: path)
      #expect(last.requiresSecureTransport(to: "new.example.org"), "seed \(seed)")
      let left = last.cookies ?? []
      #expect(left.contains { $0.name == "new" }, "seed \(seed)")
      #expect(Set(left.filter { $0.name != "new" }).isSubset(of: known), "seed \(seed)")
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
