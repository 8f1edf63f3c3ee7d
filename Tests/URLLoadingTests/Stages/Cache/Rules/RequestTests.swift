import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

extension CachingRules {
  @Suite("RFC 9111, 5.2.1, and the cache policies: what requests ask for") struct Asking {
    @Test(
      "5.2.1.1: max-age",
      arguments: [
        ("max-age=10", 10, .fresh), ("max-age=10", 11, .requestMaxAge), ("max-age=999", 61, .stale),
        ("max-age=0", 0, .requestMaxAge),
        ("max-age=x", 0, .requestMaxAge), ("max-age", 0, .requestMaxAge), ("max-age=\"10\"", 10, .fresh),
      ] as [(String, TimeInterval, CacheReason)])
    func maxAge(_ directive: String, _ age: TimeInterval, _ expected: CacheReason) throws {
      #expect(
        try reason(["Cache-Control": "max-age=60"], after: age, request(["Cache-Control": directive])) == expected)
    }

    @Test(
      "5.2.1.3: min-fresh",
      arguments: [
        ("min-fresh=20", 40, .fresh), ("min-fresh=20", 41, .requestMinFresh),
        ("min-fresh=99999999999999", 0, .requestMinFresh),
        ("min-fresh=x", 0, .requestMinFresh), ("min-fresh", 0, .requestMinFresh), ("min-fresh=0", 59, .fresh),
      ] as [(String, TimeInterval, CacheReason)])
    func minFresh(_ directive: String, _ age: TimeInterval, _ expected: CacheReason) throws {
      #expect(
        try reason(["Cache-Control": "max-age=60"], after: age, request(["Cache-Control": directive])) == expected)
    }

    @Test(
      "5.2.1.4, 5.4: no-cache, or Pragma where there is no Cache-Control",
      arguments: [
        (["Cache-Control": "no-cache"], .requestNoCache), (["Pragma": "no-cache"], .requestNoCache),
        (["Pragma": "x, NO-CACHE"], .requestNoCache), (["Pragma": "no-cache", "Cache-Control": "x"], .fresh),
        (["Pragma": "x"], .fresh),
      ] as [(HTTPFields, CacheReason)])
    func noCache(_ fields: HTTPFields, _ expected: CacheReason) throws {
      #expect(try reason(["Cache-Control": "max-age=60"], after: 0, request(fields)) == expected)
      #expect(try reason(["Cache-Control": "max-age=60, immutable"], after: 0, request(fields)) == expected)
    }

    @Test("5.4: Pragma in a response means nothing") func responsePragma() throws {
      #expect(try reason(["Cache-Control": "max-age=60", "Pragma": "no-cache"], after: 0) == .fresh)
    }

    @Test("5.2.1.5: no-store in a request does not keep a stored response from answering") func noStore() throws {
      #expect(try reason(["Cache-Control": "max-age=60"], after: 0, request(["Cache-Control": "no-store"])) == .fresh)
    }

    @Test("5.2.1.7: only-if-cached") func onlyIfCached() throws {
      let asked = request(["Cache-Control": "only-if-cached"])
      let head = try stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])
      #expect(lookup([head], asked) == .answer(0, .fresh))
      #expect(lookup([head], after: 60, asked) == .unavailable(.stale))
      #expect(lookup([], asked) == .unavailable(.nothingStored))
      let accepting = request(["Cache-Control": "only-if-cached, max-stale"])
      #expect(lookup([head], after: 60, accepting) == .answer(0, .acceptedStale))
    }

    @Test(
      "5.2.3: what is unknown, and the directives of responses, mean nothing",
      arguments: [
        "x", "x=1", "no-transform", "s-maxage=0", "must-revalidate", "private", "immutable", "stale-while-revalidate=1",
        "\"no-cache\"", ",,",
      ])
    func unknown(_ directives: String) throws {
      #expect(try reason(["Cache-Control": "max-age=60"], after: 59, request(["Cache-Control": directives])) == .fresh)
      #expect(try reason(["Cache-Control": "max-age=60"], after: 60, request(["Cache-Control": directives])) == .stale)
    }

    // MARK: - Policies

    @Test(
      "Policies that ignore what is stored",
      arguments: [
        NSURLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
      ])
    func reloading(_ policy: NSURLRequest.CachePolicy) throws {
      let head = try stored(["Cache-Control": "max-age=60, immutable", "Content-Length": "100"])
      #expect(lookup([head], request(policy: policy)) == .miss(.policyReloads))
    }

    @Test(
      "Policies that take what is stored, whatever its age",
      arguments: [
        NSURLRequest.CachePolicy.returnCacheDataElseLoad, .returnCacheDataDontLoad,
      ])
    func taking(_ policy: NSURLRequest.CachePolicy) throws {
      let asked = request(policy: policy)
      let isLocal = policy == .returnCacheDataDontLoad
      for directives in ["max-age=0", "no-cache", "max-age=0, must-revalidate"] {
        let head = try stored(["Cache-Control": directives, "Vary": "A"])
        #expect(lookup([head], after: 1e9, asked) == .answer(0, .policyTakesAny))
        let other = request(["A": "b"], policy: policy)
        #expect(lookup([head], other) == (isLocal ? .unavailable(.varies) : .miss(.varies)))
      }
      #expect(lookup([], asked) == (isLocal ? .unavailable(.nothingStored) : .miss(.nothingStored)))
    }

    @Test("The policy that has everything confirmed") func revalidating() throws {
      let asked = request(policy: .reloadRevalidatingCacheData)
      let head = try stored(["Cache-Control": "max-age=60, stale-if-error=99", "ETag": "\"a\""])
      #expect(
        lookup([head], asked)
          == .validate([0], ConditionalFields(head, forPart: false), staleIfError: nil, .policyRevalidates))
    }

    @Test(
      "RFC 8246, 2 and 3: immutable while it is fresh, over TLS, in a known length",
      arguments: [
        ("max-age=60, immutable", 59, "https", ["Content-Length": "100"], .immutable),
        ("max-age=60, immutable=x, immutable", 59, "HTTPS", ["Transfer-Encoding": "chunked"], .immutable),
        ("max-age=60, immutable", 60, "https", ["Content-Length": "100"], .policyRevalidates),
        ("max-age=60, immutable", 59, "http", ["Content-Length": "100"], .policyRevalidates),
        ("max-age=60, immutable", 59, "https", [:], .policyRevalidates),
        ("immutable", 0, "https", ["Content-Length": "100"], .policyRevalidates),
        ("max-age=60, no-cache, immutable", 0, "https", ["Content-Length": "100"], .noCache),
      ] as [(String, TimeInterval, String, HTTPFields, CacheReason)])
    func immutable(
      _ directives: String, _ age: TimeInterval, _ scheme: String, _ fields: HTTPFields, _ expected: CacheReason
    ) throws {
      let url = try #require(URL(string: "\(scheme)://example.org/"))
      let asked = request(policy: .reloadRevalidatingCacheData, url: url)
      #expect(try reason(fields.with("Cache-Control", directives), after: age, asked) == expected)
    }

    @Test("RFC 8246, 2: a stale response is validated as others are") func staleImmutable() throws {
      #expect(try reason(["Cache-Control": "max-age=60, immutable", "Content-Length": "1"], after: 60) == .stale)
    }

    @Test("What policies tell the caches on the way") func requestFields() {
      func fields(_ policy: NSURLRequest.CachePolicy) -> HTTPFields {
        HTTPFields(CacheRules.requestFields(for: policy))
      }
      #expect(fields(.reloadIgnoringLocalAndRemoteCacheData) == ["Cache-Control": "no-cache", "Pragma": "no-cache"])
      #expect(fields(.reloadRevalidatingCacheData) == ["Cache-Control": "max-age=0"])
      for policy in [
        NSURLRequest.CachePolicy.useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .returnCacheDataElseLoad,
        .returnCacheDataDontLoad,
      ] { #expect(fields(policy).isEmpty) }
    }

    @Test("Reasons have words, each its own") func words() {
      #expect(Set(CacheReason.allCases.map(\.description)).count == CacheReason.allCases.count)
      #expect(Set(CacheRefusal.allCases.map(\.description)).count == CacheRefusal.allCases.count)
    }
  }
}
