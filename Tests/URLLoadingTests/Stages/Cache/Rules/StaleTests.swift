import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

extension CachingRules {
  @Suite("RFC 9111, 4.2.4 and RFC 5861: stale responses") struct Stale {
    @Test("4.2.4: none answers without leave") func withoutLeave() throws {
      #expect(try reason(["Cache-Control": "max-age=60"], after: 60) == .stale)
      #expect(try reason([:], after: 0) == .stale)
    }

    @Test(
      "5.2.1.2: max-stale in the request",
      arguments: [
        ("max-stale", 1e9, true), ("max-stale=10", 70, true), ("max-stale=10", 71, false),
        ("max-stale=\"10\"", 70, true),
        ("max-stale=x", 61, false), ("max-stale=", 61, false), ("max-stale=10, max-stale=20", 61, false),
        // Section 5.2.1.1, 5.2.1.3, 5.2.1.4: what else the request says holds too.
        ("max-stale=10, max-age=65", 70, false), ("max-stale=10, max-age=70", 70, true),
        ("max-stale, min-fresh=1", 61, false),
        ("max-stale, no-cache", 61, false),
      ] as [(String, TimeInterval, Bool)])
    func maxStale(_ directives: String, _ age: TimeInterval, _ isAnswer: Bool) throws {
      let asked = request(["Cache-Control": directives])
      let reason = try reason(["Cache-Control": "max-age=60"], after: age, asked)
      #expect((reason == .acceptedStale) == isAnswer)
    }

    @Test(
      "4.2.4, 5.2.2.2, 5.2.2.4: what forbids it goes before all that allows it",
      arguments: [
        ("must-revalidate", true, true), ("no-cache", true, true), ("must-revalidate=x", true, true),
        // Section 5.2.2.8, 5.2.2.10: for shared caches only.
        ("proxy-revalidate", false, true), ("s-maxage=60", false, true),
      ])
    func forbidden(_ directive: String, _ inPrivate: Bool, _ inShared: Bool) throws {
      let fields: HTTPFields = [
        "Cache-Control": "max-age=60, stale-while-revalidate=999, stale-if-error=999, \(directive)"
      ]
      let asked = request(["Cache-Control": "max-stale, stale-if-error=999"])
      for (kind, isForbidden) in [(CacheRules.Kind.private, inPrivate), (.shared, inShared)] {
        let head = try stored(fields, in: kind)
        let result = lookup([head], after: 100, asked, in: kind)
        #expect((result.reason == .acceptedStale) != isForbidden)
        if case .validate(_, _, staleIfError: let index, _) = result { #expect(index == nil) }
        let rules = CacheRules(kind: kind)
        for failure in [CacheRules.Failure.unreachable, .status(503)] {
          #expect(rules.mayAnswer(head, to: asked, after: failure, at: date + 100) != isForbidden)
        }
      }
    }

    @Test("5.2.2.2: must-revalidate changes nothing while a response is fresh") func freshMustRevalidate() throws {
      #expect(try reason(["Cache-Control": "max-age=60, must-revalidate, proxy-revalidate"], after: 59) == .fresh)
      #expect(try reason(["Cache-Control": "s-maxage=60"], after: 59, in: .shared) == .fresh)
    }

    @Test(
      "RFC 5861, 3: stale-while-revalidate",
      arguments: [
        ("stale-while-revalidate=30", 90, true), ("stale-while-revalidate=30", 90.5, false),
        ("stale-while-revalidate=\"30\"", 90, true),
        ("stale-while-revalidate", 61, false), ("stale-while-revalidate=x", 61, false),
        ("stale-while-revalidate=0", 60.5, false),
        ("stale-while-revalidate=30, stale-while-revalidate=40", 61, false),
      ] as [(String, TimeInterval, Bool)])
    func whileRevalidate(_ directive: String, _ age: TimeInterval, _ isAnswer: Bool) throws {
      let fields: HTTPFields = [
        "Cache-Control": "max-age=60, \(directive)", "ETag": "\"a\"", "Last-Modified": dayBefore,
      ]
      let head = try stored(fields)
      let result = lookup([head], after: age)
      #expect(result.reason == (isAnswer ? .staleWhileRevalidate : .stale))
      #expect(result.conditions == ConditionalFields(head, forPart: false))
      #expect(lookup([head], after: 59).reason == .fresh)
      // Nothing may be asked.
      let local = lookup([head], after: age, request(["Cache-Control": "only-if-cached"]))
      #expect(local == (isAnswer ? .answer(0, .staleWhileRevalidate) : .unavailable(.stale)))
    }

    @Test(
      "5.2.1.1: a request with limits of its own wants nothing stale",
      arguments: ["max-age=999", "min-fresh=0", "no-cache"])
    func limits(_ directive: String) throws {
      let asked = request(["Cache-Control": directive])
      let reason = try reason(["Cache-Control": "max-age=60, stale-while-revalidate=999"], after: 61, asked)
      #expect(reason != .staleWhileRevalidate)
    }

    @Test(
      "RFC 5861, 4: stale-if-error, of the response or the request",
      arguments: [
        ("stale-if-error=30", "", 90, true), ("stale-if-error=30", "", 91, false), ("", "stale-if-error=30", 90, true),
        ("", "stale-if-error=30", 91, false), ("stale-if-error=5", "stale-if-error=30", 90, true),
        ("stale-if-error", "", 61, false),
        ("stale-if-error=x", "", 61, false), ("", "", 61, false), ("stale-if-error=30", "no-cache", 61, false),
      ] as [(String, String, TimeInterval, Bool)])
    func ifError(_ given: String, _ asked: String, _ age: TimeInterval, _ isAnswer: Bool) throws {
      let head = try stored(["Cache-Control": "max-age=60, \(given)"])
      let asked = request(["Cache-Control": asked])
      let result = lookup([head], after: age, asked)
      guard case .validate([0], _, staleIfError: let index, _) = result else {
        Issue.record("\(result)")
        return
      }
      #expect(index == (isAnswer ? 0 : nil))
      let rules = CacheRules()
      for code in [500, 502, 503, 504] {
        #expect(rules.mayAnswer(head, to: asked, after: .status(code), at: date + age) == isAnswer)
      }
      #expect(rules.mayAnswer(head, to: asked, after: .unreachable, at: date + age) == isAnswer)
      for code in [200, 304, 404, 501, 505, 599] {
        #expect(!rules.mayAnswer(head, to: asked, after: .status(code), at: date + age))
      }
    }
  }
}
