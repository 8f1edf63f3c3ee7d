import Foundation
import Testing
import URLLoadingHTTPSemantics
import URLLoadingTestServers

@testable import URLLoading

/// What servers, files and programs may say to a cache, changed at random: nothing traps, and what is answered is what was sent once. A
/// round is its seed.
///
/// `make fuzz-cache` has them take 10 minutes.
@Suite(.timeLimit(.minutes(20)), .serialized) struct CacheFuzzTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let names = [
    "Cache-Control", "Pragma", "Expires", "Date", "Last-Modified", "Age", "ETag", "Vary", "Content-Range", "Set-Cookie",
    "Content-Encoding", "Content-Length", "Authorization", "Range", "If-Range", "If-None-Match", "X-Other",
  ]
  private static let pieces = [
    "no-store", "no-cache", "no-cache=\"etag\"", "private", "private=\"x-other\"", "public", "max-age=", "s-maxage=",
    "must-revalidate", "proxy-revalidate", "must-understand", "immutable", "stale-while-revalidate=60",
    "stale-if-error=60", "only-if-cached", "max-stale", "min-fresh=5", "0", "60", "2147483648", "99999999999999999999",
    "-1", "\"", ",", ";", "=", " ", "*", "W/\"v\"", "\"v\"", "bytes=0-", "bytes=5-9", "bytes=-3", "bytes 0-4/10",
    "bytes 5-9/*", "bytes 0-9223372036854775807/9223372036854775807", "bytes */10", "X-Other", "Cookie", "gzip",
    "Fri, 15 Jan 2027 08:00:00 GMT", "Thursday, 14-Jan-27 08:00:00 GMT", "Fri Jan 15 08:00:00 2027", "é", "\u{0}",
  ]

  private static func fields(_ random: inout SeededGenerator) -> URLLoadingHTTPSemantics.HTTPFields {
    URLLoadingHTTPSemantics.HTTPFields(
      (0..<Int.random(in: 0...6, using: &random)).map { _ in
        let value = (0..<Int.random(in: 1...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        return (
          names.randomElement(using: &random) ?? "", value.joined(separator: Bool.random(using: &random) ? ", " : "")
        )
      })
  }

  @Test func rules() async throws {
    try await FuzzRounds.run(40, sharedBy: 3) { _, seed in CachingRules.Fuzz().decisions(seed) }
  }

  // MARK: Archives

  @Test func archivedEntries() async throws {
    let url = try #require(URL(string: "https://example.org/a?b=c"))
    try await FuzzRounds.run(3000, sharedBy: 3) { random, seed in
      let entry = URLCacheEntry(
        key: url.absoluteString,
        response: HTTPURLResponse(
          url: url, statusCode: Int.random(in: 100...999, using: &random), httpVersion: "HTTP/1.1",
          fields: Self.fields(&random).fields),
        bodyLength: Int64.random(in: 0 ... .max, using: &random), requestDate: Self.now, responseDate: Self.now,
        selectingFields: [SelectingField(name: "cookie", value: Bool.random(using: &random) ? nil : "a=b")])
      let archive = entry.archived()
      #expect(URLCacheEntry(archived: archive)?.archived() == archive, "seed \(seed)")
      var bytes = archive
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...9, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.replaceSubrange(start..<end, with: repeatElement(0xFF, count: end - start))
        case 2: bytes.replaceSubrange(start..<end, with: random.bytes(end - start))
        default: bytes = bytes.prefix(start) + Data([0])
        }
        bytes = Data(bytes)
      }
      // What is read, if anything is, is what is written again.
      if let read = URLCacheEntry(archived: bytes) {
        #expect(URLCacheEntry(archived: read.archived())?.archived() == read.archived(), "seed \(seed)")
      }
    }
  }

  // MARK: Loads

  /// A resource whose versions can be told by their bytes, behind a server that says what it likes about them.
  private struct Resource: Sendable {
    static let controls = [
      "max-age=60", "max-age=60", "max-age=0", "no-cache", "no-store", "max-age=60, immutable",
      "max-age=0, stale-while-revalidate=60", "private, max-age=60", "must-revalidate, max-age=0",
    ]

    /// The whole body of a version for a value of the field that the response varies by.
    static func body(_ path: String, _ version: Int, _ variant: String) -> Data {
      let length = 1000 + (version &* 7919 &+ path.utf8.count &* 31) % 40_000
      let line = Array("\(path) \(version) \(variant)\n".utf8)
      return Data((0..<length).map { line[$0 % line.count] })
    }

    static func answer(_ request: HTTPRequest, version: Int, _ random: inout SeededGenerator) -> HTTPResponse {
      let variant = request.fields["X-Variant"] ?? "-"
      let tag = "\"\(version)-\(variant)\""
      var fields: URLLoadingTestServers.HTTPFields = [
        "Cache-Control": controls.randomElement(using: &random) ?? "", "Vary": "X-Variant", "X-Version": "\(version)",
      ]
      if Int.random(in: 0..<4, using: &random) > 0 { fields["ETag"] = tag }
      if request.fields["If-None-Match"]?.contains(tag) == true { return HTTPResponse(304, fields: fields) }
      let whole = body(request.path, version, variant)
      guard let range = request.fields["Range"]?.dropFirst("bytes=".count).split(separator: "-"),
        let first = Int(range[0]),
        first < whole.count, request.fields["If-Range"] ?? tag == tag
      else { return HTTPResponse(fields: fields, body: whole) }
      let last = range.count > 1 ? min(Int(range[1]) ?? 0, whole.count - 1) : whole.count - 1
      guard last >= first else { return HTTPResponse(fields: fields, body: whole) }
      fields["Content-Range"] = "bytes \(first)-\(last)/\(whole.count)"
      return HTTPResponse(206, fields: fields, body: whole[first...last])
    }
  }

  /// Every body that a program gets is that of one version and of the variant that it asked for, whole or the part that the head says.
  @Test func loads() async throws {
    try await FuzzRounds.run(12, sharedBy: 3) { random, seed in
      let state = Watched((version: 1, random: SeededGenerator(seed: seed ^ 0x5EED)))
      let tier: CacheExchange.Tier = seed % 2 == 0 ? .memory : .disk
      let exchange = try CacheExchange(tier) { request, _ in
        state.update { state in
          if Int.random(in: 0..<6, using: &state.random) == 0 { state.version += 1 }
          return Resource.answer(request, version: state.version, &state.random)
        }
      }
      for _ in 0..<40 {
        let path = ["/a", "/b"].randomElement(using: &random) ?? "/a"
        let variant = ["x", "y", nil].randomElement(using: &random) ?? nil
        var request = URLRequest(url: exchange.server.url(path))
        request.setValue(variant, forHTTPHeaderField: "X-Variant")
        if Bool.random(using: &random) {
          let first = Int.random(in: 0..<900, using: &random)
          let last = Bool.random(using: &random) ? "" : String(first + Int.random(in: 0..<20_000, using: &random))
          request.setValue("bytes=\(first)-\(last)", forHTTPHeaderField: "Range")
        }
        let (data, response) = try await exchange.session.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        let version = http.value(forHTTPHeaderField: "X-Version").flatMap { Int($0) } ?? 0
        var expected = Resource.body(path, version, variant ?? "-")
        if http.statusCode == 206, let part = http.contentRange {
          expected = expected.dropFirst(Int(part.firstByte)).prefix(Int(part.length))
        }
        #expect(data == expected, "seed \(seed): \(path) \(variant ?? "-") \(http.statusCode) version \(version)")
      }
      await exchange.session.reset()
    }
  }
}
