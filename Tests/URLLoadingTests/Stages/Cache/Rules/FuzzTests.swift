import Foundation
import Testing
import URLLoadingHTTPSemantics
import struct URLLoadingTestServers.SeededGenerator

@testable import URLLoading

extension CachingRules {
  /// Fields made of pieces that mean something, and of noise: nothing that comes from outside traps, and what must not answer does not.
  /// `CacheFuzzTests` runs them.
  struct Fuzz {
    private static let names = [
      "Cache-Control", "cache-control", "Vary", "Date", "Age", "Expires", "Last-Modified", "ETag", "Content-Length",
      "Content-Range",
      "Content-Encoding", "Range", "If-Range", "Pragma", "Set-Cookie", "Authorization", "Connection", "A", "B",
      "If-None-Match",
    ]
    private static let pieces = [
      "no-store", "no-cache", "private", "public", "max-age", "s-maxage", "must-revalidate", "proxy-revalidate",
      "must-understand",
      "immutable", "stale-while-revalidate", "stale-if-error", "max-stale", "min-fresh", "only-if-cached", "=", ",",
      ";", "\"", "\\", " ", "\t",
      "0", "1", "60", "-1", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808",
      "99999999999999999999", "*", "A", "B",
      "Vary", "Set-Cookie", dateField, dayBefore, hourAfter, "Sun, 06 Nov 0000 08:49:37 GMT",
      "Fri, 31 Dec 9999 23:59:59 GMT", "\"a\"",
      "W/\"a\"", "bytes ", "bytes=", "0-9/100", "0-", "-", "/", "0-9223372036854775806/9223372036854775807",
      "9223372036854775806-", "gzip",
      "\u{E9}", "\u{301}", "\u{0}", "",
    ]
    private static let moments: [Double] = [
      0, 1, 60, 1e6, -1, -61, 1e18, -1e18, .infinity, -.infinity, .nan, Double(Int64.max), .greatestFiniteMagnitude,
    ]
    private static let methods = ["GET", "GET", "GET", "HEAD", "POST", "get"]
    private static let lengths: [Int64] = [0, 1, 10, 100, .max, .min, -1]

    private struct Noise {
      var random: SeededGenerator

      mutating func any<T>(_ list: [T], else fallback: T) -> T { list.randomElement(using: &random) ?? fallback }

      mutating func fields() -> HTTPFields {
        HTTPFields(
          (0..<Int.random(in: 0...8, using: &random)).map { _ in
            let count = Int.random(in: 0...6, using: &random)
            let value = (0..<count).map { _ in any(Fuzz.pieces, else: "") }.joined()
            return (any(Fuzz.names, else: ""), value)
          })
      }

      mutating func moment() -> Date { CachingRules.date + any(Fuzz.moments, else: 0) }

      mutating func request() -> CacheRequest {
        let policy =
          NSURLRequest.CachePolicy(rawValue: UInt.random(in: 0...5, using: &random)) ?? .useProtocolCachePolicy
        return CacheRequest(
          method: any(Fuzz.methods, else: ""), url: CachingRules.url, fields: fields(), policy: policy)
      }

      mutating func response(_ status: Int? = nil) -> CacheResponse {
        CacheResponse(
          statusCode: status ?? any([200, 200, 200, 206, 206, 304, 404, 301, 503, 0, -1, 999, .max], else: 0),
          fields: fields(),
          url: CachingRules.url)
      }

      mutating func head() -> StoredHead {
        StoredHead(
          statusCode: any([200, 206, 404, .min], else: 0), fields: fields(), requestDate: moment(),
          responseDate: moment(),
          selectingFields: any(
            [[], [SelectingField(name: "a", value: nil), SelectingField(name: "b", value: "1")]], else: []),
          part: any(
            [
              nil, ContentRange(fieldValue: "bytes 0-9/100"), ContentRange(fieldValue: "bytes 9-9223372036854775806/*"),
            ], else: nil),
          bodyLength: any(Fuzz.lengths, else: 0))
      }
    }

    /// Nothing traps, and nothing answers that must not.
    func decisions(_ seed: UInt64) {
      var noise = Noise(random: SeededGenerator(seed: seed))
      for step in 0..<100 {
        let rules = CacheRules(kind: noise.any([.private, .shared], else: .private))
        let (request, response, now) = (noise.request(), noise.response(), noise.moment())
        var heads = (0..<Int.random(in: 0...4, using: &noise.random)).map { _ in noise.head() }
        let storage = rules.storage(
          of: response, to: request, requestDate: noise.moment(), responseDate: noise.moment())
        if let head = storage.head {
          #expect(!CacheDirectives(request.fields).noStore && request.method == "GET", "step \(step)")
          #expect(!head.directives.noStore || head.directives.mustUnderstand, "step \(step)")
          heads.append(head)
        }
        let result = rules.lookup(request, among: heads, at: now)
        expectAllowed(result, heads, request, rules, now, "seed \(seed), step \(step)")
        let notModified = noise.response(304)
        for index in rules.selected(by: notModified, among: heads) { #expect(heads.indices.contains(index)) }
        for effect in rules.freshenedByHead(heads, by: response, to: request, requestDate: now, responseDate: now) {
          if case .updated(let index, let head) = effect {
            #expect(heads.indices.contains(index) && !head.directives.noStore)
          }
        }
        for head in heads {
          let fresh = rules.freshened(head, by: notModified, requestDate: noise.moment(), responseDate: noise.moment())
          _ = rules.mayKeep(fresh, answering: request)
          #expect((0...DeltaSeconds.infinity).contains(rules.age(of: fresh, at: now)))
          for failure in [CacheRules.Failure.unreachable, .status(503)] {
            #expect(!(rules.mayAnswer(head, to: request, after: failure, at: now) && head.directives.mustRevalidate))
          }
          let sum = rules.combined(head, with: response, requestDate: now, responseDate: now)
          #expect(
            sum.map { $0.bodyLength >= head.bodyLength && $0.part?.length ?? $0.bodyLength == $0.bodyLength } ?? true)
        }
        _ = rules.invalidated(by: response, to: request)
      }
    }

    private func expectAllowed(
      _ result: CacheLookup, _ heads: [StoredHead], _ request: CacheRequest, _ rules: CacheRules, _ now: Date,
      _ place: String
    ) {
      switch result {
      case .miss, .unavailable: break
      case .answer(let index, let reason), .answerAndRevalidate(let index, _, let reason):
        guard heads.indices.contains(index) else {
          Issue.record("\(place): \(index)")
          return
        }
        let (head, directives) = (heads[index], heads[index].directives)
        #expect(head.matches(request) && request.isRetrieval && !request.hasOwnConditions, "\(place)")
        #expect(!directives.noStore || directives.mustUnderstand, "\(place)")
        #expect(reason == .policyTakesAny || directives.noCache != .all, "\(place)")
        #expect(rules.kind == .private || directives.isPrivate != .all, "\(place)")
        let answer = rules.answer(from: head, to: request, at: now)
        #expect(answer.map { $0.bytes.upperBound <= max(0, head.bodyLength) } == true, "\(place)")
      case .validate(let indices, _, staleIfError: let index, _):
        #expect(
          !indices.isEmpty && (indices + [index].compactMap { $0 }).allSatisfy(heads.indices.contains), "\(place)")
      case .complete(let index, _, _):
        #expect(heads.indices.contains(index) && heads[index].part != nil, "\(place)")
      }
    }
  }
}
