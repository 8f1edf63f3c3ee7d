import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Parts of a resource that are stored, and completed by what is loaded (RFC 9111, sections 3.3 and 3.4).
@Suite(.timeLimit(.minutes(4))) struct CachedPartTests {
  private static let text = String((0..<100_000).map { Character(UnicodeScalar(UInt8(97 + $0 * 7 % 26))) })

  private static func part(_ first: Int, _ last: Int) -> String {
    let bytes = Array(text.utf8)
    return String(decoding: bytes[first...last], as: UTF8.self)
  }

  /// A resource that answers ranges, with a strong entity tag.
  private static func ranged(_ request: HTTPRequest, etag: String = "\"v\"") -> HTTPResponse {
    var fields: URLLoadingTestServers.HTTPFields = ["ETag": etag, "Cache-Control": "max-age=60"]
    guard let range = request.fields["Range"], request.fields["If-Range"] ?? etag == etag else {
      return HTTPResponse(fields: fields, text: text)
    }
    let words = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    let first = Int(words[0]) ?? 0
    let last = Int(words[1]) ?? text.utf8.count - 1
    fields["Content-Range"] = "bytes \(first)-\(last)/\(text.utf8.count)"
    return HTTPResponse(206, fields: fields, text: part(first, last))
  }

  @Test(arguments: CacheExchange.Tier.allCases)
  func onlyWhatIsMissingIsLoaded(tier: CacheExchange.Tier) async throws {
    let exchange = try CacheExchange(tier) { request, _ in Self.ranged(request) }
    // The middle, then more after it, more before it, and the rest: both sides, so that the whole is loaded.
    #expect(try await exchange.get("/", ["Range": "bytes=20000-29999"]).text == Self.part(20_000, 29_999))
    let behind = try await exchange.get("/", ["Range": "bytes=25000-59999"])
    #expect(behind.text == Self.part(25_000, 59_999))
    #expect(behind.response.statusCode == 206)
    #expect(behind.response.value(forHTTPHeaderField: "Content-Range") == "bytes 25000-59999/100000")
    #expect(try await exchange.get("/", ["Range": "bytes=0-24999"]).text == Self.part(0, 24_999))
    #expect(try await exchange.get("/", ["Range": "bytes=1000-58999"]).text == Self.part(1000, 58_999))
    let whole = try await exchange.get()
    #expect(whole.text == Self.text && whole.response.statusCode == 200)
    #expect(whole.response.value(forHTTPHeaderField: "Content-Range") == nil)
    #expect(try await exchange.get().text == Self.text)
    let asked = exchange.requests.map { $0.fields["Range"] }
    #expect(asked == ["bytes=20000-29999", "bytes=30000-59999", "bytes=0-19999", "bytes=60000-"])
    #expect(exchange.requests.dropFirst().allSatisfy { $0.fields["If-Range"] == "\"v\"" })
    #expect(exchange.requests[0].fields["If-Range"] == nil)
  }

  @Test(arguments: CacheExchange.Tier.allCases)
  func aChangedResourceIsLoadedWhole(tier: CacheExchange.Tier) async throws {
    let exchange = try CacheExchange(tier) { request, number in
      Self.ranged(request, etag: number == 1 ? "\"old\"" : "\"new\"")
    }
    _ = try await exchange.get("/", ["Range": "bytes=0-9999"])
    #expect(try await exchange.get().text == Self.text)
    #expect(exchange.requests.count == 2)
  }

  /// What completes a stored part has to be a 206: a server that sends the part with status 200 is asked for the whole.
  @Test(arguments: CacheExchange.Tier.allCases)
  func aPartWithTheStatusOfTheWholeIsNeverTheWhole(tier: CacheExchange.Tier) async throws {
    let exchange = try CacheExchange(tier) { request, number in
      var response = Self.ranged(request)
      if number > 1 { response.status = 200 }
      return response
    }
    _ = try await exchange.get("/", ["Range": "bytes=0-9999"])
    #expect(try await exchange.get().text == Self.text)
    #expect(exchange.requests.map { $0.fields["Range"] } == ["bytes=0-9999", "bytes=10000-", nil])
    #expect(try await exchange.get("/other", ["Range": "bytes=10-19"]).text == Self.part(10, 19))
    #expect(try await exchange.get("/other").text == Self.text)
  }

  enum Lie: CaseIterable { case refusal, otherVersion, otherPlace, otherLength, shortBody }

  /// Whatever a server sends for a part that the program did not ask for, the program gets what it asked for.
  @Test(arguments: Lie.allCases, CacheExchange.Tier.allCases)
  func aLieIsAskedAgain(lie: Lie, tier: CacheExchange.Tier) async throws {
    let exchange = try CacheExchange(tier) { request, number in
      guard number == 2 else { return Self.ranged(request) }
      var response = Self.ranged(request)
      switch lie {
      case .refusal: return HTTPResponse(416, fields: ["Content-Range": "bytes */10"])
      case .otherVersion: response.fields["ETag"] = "\"other\""
      case .otherPlace: response.fields["Content-Range"] = "bytes 50000-99999/100000"
      case .otherLength: response.fields["Content-Range"] = "bytes 10000-99999/100001"
      case .shortBody: response = HTTPResponse(206, fields: response.fields, text: "short")
      }
      return response
    }
    _ = try await exchange.get("/", ["Range": "bytes=0-9999"])
    let (text, response) = try await exchange.get()
    #expect(text == Self.text && response.statusCode == 200)
    #expect(exchange.requests.count == 3 && exchange.requests.last?.fields["Range"] == nil)
  }

  /// A body that the program did not ask for, and that may never end, is not waited for.
  @Test(arguments: ["416 Refused\r\n", "206 Part\r\nETag: \"v\"\r\nContent-Range: bytes 10000-99999/100000\r\n"])
  func anEndlessPartIsAskedAgain(head: String) async throws {
    let count = Watched(0)
    let server = try ScriptedServer { connection in
      while let request = try connection.readRequest() {
        let number = count.update {
          $0 += 1
          return $0
        }
        guard number == 2 else {
          try connection.send(Self.ranged(request), to: request)
          continue
        }
        try connection.send("HTTP/1.1 \(head)Transfer-Encoding: chunked\r\n\r\n")
        while true { try connection.sendChunk(Data(count: 65_536)) }
      }
    }
    let session = URLSession(
      configuration: CacheExchange.configuration(URLCache(memoryCapacity: 10_000_000, diskCapacity: 0)))
    var request = URLRequest(url: server.url("/"))
    request.setValue("bytes=0-9999", forHTTPHeaderField: "Range")
    _ = try await session.data(for: request)
    let (data, _) = try await session.data(from: server.url("/"))
    #expect(String(decoding: data, as: UTF8.self) == Self.text)
    session.invalidateAndCancel()
  }

  @Test func theProgramsRangeComesBackWhenThePartIsNotRight() async throws {
    let exchange = try CacheExchange { request, number in
      number == 2 ? HTTPResponse(416) : Self.ranged(request)
    }
    _ = try await exchange.get("/", ["Range": "bytes=0-9999"])
    #expect(try await exchange.get("/", ["Range": "bytes=5000-19999"]).text == Self.part(5000, 19_999))
    #expect(exchange.requests.map { $0.fields["Range"] } == ["bytes=0-9999", "bytes=10000-19999", "bytes=5000-19999"])
  }

  @Test func aPartOfWeakVersionsIsNotCompleted() async throws {
    let exchange = try CacheExchange { request, _ in Self.ranged(request, etag: "W/\"v\"") }
    _ = try await exchange.get("/", ["Range": "bytes=0-9999"])
    #expect(try await exchange.get().text == Self.text)
    #expect(exchange.requests.last?.fields["Range"] == nil)
  }
}
