import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// Loads whose stored body is in a file that is damaged: they end right, from the source.
@Suite(.timeLimit(.minutes(4))) struct DamagedBodyTests {
  /// A cache on disk that has a body from its server, which answers conditional requests with 304.
  private static func exchange(_ body: Data, _ control: String = "max-age=600") async throws -> CacheExchange {
    let exchange = try CacheExchange(.disk, capacity: 400_000_000) { request, _ in
      let isConfirmed = request.fields["If-None-Match"] != nil
      return HTTPResponse(
        isConfirmed ? 304 : 200, fields: ["Cache-Control": control, "ETag": "\"v\""],
        body: isConfirmed ? Data() : body)
    }
    #expect(try await load(exchange) == body)
    await exchange.session.flush()
    return exchange
  }

  private static func load(
    _ exchange: CacheExchange, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy
  ) async throws -> Data {
    try await exchange.session.data(for: URLRequest(url: exchange.server.url("/"), cachePolicy: policy)).0
  }

  /// Of bodies that are read at once, and of one that is read in pieces.
  @Test(arguments: BodyDamage.allCases, [20_000, 700_000, 3_000_000])
  func theLoadEndsRightFromTheSource(damage: BodyDamage, length: Int) async throws {
    let body = TestFiles.pattern(count: length)
    let exchange = try await Self.exchange(body)
    try damage.apply(in: exchange.directory)
    #expect(try await Self.load(exchange) == body)
    #expect(exchange.requests.count == 2)
    // The damaged entry is gone, and the new one answers.
    #expect(try await Self.load(exchange) == body)
    #expect(exchange.requests.count == 2)
    await exchange.session.flush()
    let files = try FileManager.default.contentsOfDirectory(atPath: exchange.directory.file("bodies").path)
    #expect(files.count { $0 != "swept" } == 1, "\(files)")
  }

  @Test(arguments: BodyDamage.allCases, [20_000, 3_000_000])
  func aConfirmedBodyIsLoadedAnew(damage: BodyDamage, length: Int) async throws {
    let body = TestFiles.pattern(count: length)
    let exchange = try await Self.exchange(body, "no-cache")
    try damage.apply(in: exchange.directory)
    #expect(try await Self.load(exchange) == body)
    #expect(exchange.requests.last?.fields["If-None-Match"] == nil)
  }

  @Test(arguments: BodyDamage.allCases, [20_000, 3_000_000])
  func whereOnlyTheCacheMayAnswerTheLoadFails(damage: BodyDamage, length: Int) async throws {
    let exchange = try await Self.exchange(TestFiles.pattern(count: length))
    try damage.apply(in: exchange.directory)
    let error = await #expect(throws: URLError.self) { try await Self.load(exchange, .returnCacheDataDontLoad) }
    #expect(error?.code == .resourceUnavailable)
    #expect(exchange.requests.count == 1)
  }

  @Test(arguments: BodyDamage.allCases, [20_000, 3_000_000])
  func byHandNothingIsFound(damage: BodyDamage, length: Int) async throws {
    let exchange = try await Self.exchange(TestFiles.pattern(count: length))
    let request = URLRequest(url: exchange.server.url("/"))
    #expect(exchange.cache.cachedResponse(for: request)?.data.count == length)
    try damage.apply(in: exchange.directory)
    #expect(exchange.cache.cachedResponse(for: request) == nil)
  }

  /// Bytes that were given cannot be taken back.
  @Test(arguments: BodyDamage.allCases.filter(\.keepsLength))
  func damageFarBehindTheStartFailsTheLoadAndCostsTheEntry(damage: BodyDamage) async throws {
    let body = TestFiles.pattern(count: 6_000_000)
    let exchange = try await Self.exchange(body)
    try damage.apply(in: exchange.directory, at: 5_500_000)
    let error = await #expect(throws: URLError.self) { try await Self.load(exchange) }
    #expect(error?.code == .networkConnectionLost)
    #expect(exchange.requests.count == 1)
    for _ in 0..<2 { #expect(try await Self.load(exchange) == body) }
    #expect(exchange.requests.count == 2)
  }

  /// A range is checked where it is, and nowhere else.
  @Test func rangesOfWhatIsWholeAreAnswered() async throws {
    let body = TestFiles.pattern(count: 6_000_000)
    let exchange = try await Self.exchange(body)
    try BodyDamage.hole.apply(in: exchange.directory, at: 5_500_000)
    for range in [0..<1, 99..<700_000, 262_143..<262_145, 262_144..<524_288, 5_767_168..<6_000_000] {
      var request = URLRequest(url: exchange.server.url("/"))
      request.setValue("bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
      let (data, response) = try await exchange.session.data(for: request)
      #expect((response as? HTTPURLResponse)?.statusCode == 206)
      #expect(data == body[range], "\(range)")
    }
    #expect(exchange.requests.count == 1)
  }
}
