import Foundation
import Testing

@testable import URLLoading

/// What follows for an attempt from what its cache has said so far.
@Suite struct CacheStageTests {
  private static let url = URL(fileURLWithPath: "/")

  private static let stored: FoundEntry = {
    let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    let entry = URLCacheEntry(key: "key", response: response, requestDate: Date(), responseDate: Date())
    return FoundEntry(entry: entry, store: MemoryCacheStore(capacity: 0))
  }()

  private static func caching(fallback: FoundEntry? = nil) throws -> AttemptCaching {
    var caching = try #require(AttemptCaching(URLRequest(url: url)))
    if let fallback { caching.update { $0.fallback = fallback } }
    return caching
  }

  @Test func anAttemptWithoutACacheIsTheProgramsOwn() {
    let stage = CacheStage()
    #expect(!stage.isWithheld)
    guard case nil = stage.finished() else { return #expect(Bool(false), "the response is not passed on") }
    guard case .pass = stage.failed() else { return #expect(Bool(false), "the failure is not passed on") }
  }

  @Test func aConfirmationAnswers() throws {
    var stage = CacheStage()
    stage.begin(try Self.caching())
    #expect(!stage.isWithheld)
    stage.confirm(Self.stored)
    #expect(stage.isWithheld)
    guard case (.confirmed(let found), _)? = stage.finished() else {
      return #expect(Bool(false), "what is confirmed does not answer")
    }
    #expect(found.entry.id == Self.stored.entry.id)
  }

  @Test func whatConfirmsNothingIsLoadedAnew() throws {
    var stage = CacheStage()
    stage.begin(try Self.caching())
    stage.confirm(nil)
    guard case (.reload, _)? = stage.finished() else { return #expect(Bool(false), "it is not loaded anew") }
    stage.complete(nil, by: nil)
    guard case (.reload, _)? = stage.finished() else { return #expect(Bool(false), "it is not loaded anew") }
  }

  @Test func whatHasAnsweredIgnoresTheInstance() throws {
    var stage = CacheStage()
    stage.begin(try Self.caching(fallback: Self.stored))
    stage.answer()
    guard case .ignore = stage.failed() else { return #expect(Bool(false), "the failure is not ignored") }
    guard case (.answered, _)? = stage.finished() else { return #expect(Bool(false), "the end is not ignored") }
  }

  @Test func aDamagedBodyIsLoadedAnew() throws {
    var stage = CacheStage()
    stage.begin(isStored: true)
    guard case .reload = stage.failed() else { return #expect(Bool(false), "it is not loaded anew") }
  }

  @Test func aFailureMayHaveAFallback() throws {
    var stage = CacheStage()
    stage.begin(try Self.caching())
    guard case .pass = stage.failed() else { return #expect(Bool(false), "there is no fallback") }
    stage.begin(try Self.caching(fallback: Self.stored))
    guard case .fallBack(on: let found, _) = stage.failed() else {
      return #expect(Bool(false), "the fallback is not used")
    }
    #expect(found.entry.id == Self.stored.entry.id)
  }

  @Test func anotherRequestLosesTheConditions() throws {
    var caching = try Self.caching()
    var request = URLRequest(url: Self.url)
    caching.set((name: "If-None-Match", value: "\"v\""), on: &request)
    var stage = CacheStage()
    stage.begin(caching)
    _ = stage.withdraw(from: &request)
    #expect(request.value(forHTTPHeaderField: "If-None-Match") == nil)
    guard case _? = stage.takeCaching() else { return #expect(Bool(false), "it was not asked") }
    guard case nil = stage.caching else { return #expect(Bool(false), "it was not taken out") }
  }
}
