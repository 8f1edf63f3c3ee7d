import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

extension CachingRules {
  @Suite("RFC 9111, 3.3 and 3.4: parts") struct Parts {
    private static let whole: HTTPFields = ["Cache-Control": "max-age=60", "ETag": "\"a\"", "Content-Length": "100"]

    /// What is stored of a resource of 100 bytes.
    private func part(_ range: String, _ fields: HTTPFields = whole) throws -> StoredHead {
      var fields = fields
      fields["Content-Range"] = "bytes \(range)"
      fields["Content-Length"] = nil
      return try stored(fields, status: 206, to: request(["Range": "bytes=0-"]))
    }

    private func ranged(_ range: String, ifRange: String? = nil) -> CacheRequest {
      var fields: HTTPFields = ["Range": "bytes=\(range)"]
      fields["If-Range"] = ifRange
      return request(fields)
    }

    @Test(
      "3.3: a range of a whole",
      arguments: [
        ("0-9", 206, 0..<10, "bytes 0-9/100"), ("90-", 206, 90..<100, "bytes 90-99/100"),
        ("-5", 206, 95..<100, "bytes 95-99/100"),
        ("50-500", 206, 50..<100, "bytes 50-99/100"), ("100-", 416, 0..<0, "bytes */100"),
        ("-0", 416, 0..<0, "bytes */100"),
        ("9-0", 200, 0..<100, nil), ("0-1,3-4", 200, 0..<100, nil), ("x", 200, 0..<100, nil),
      ] as [(String, Int, Range<Int64>, String?)])
    func rangesOfWhole(_ range: String, _ status: Int, _ bytes: Range<Int64>, _ field: String?) throws {
      let head = try stored(Self.whole)
      let asked = ranged(range)
      #expect(lookup([head], asked) == .answer(0, .fresh))
      let answer = try #require(CacheRules().answer(from: head, to: asked, at: date))
      #expect(answer.statusCode == status && answer.bytes == bytes && answer.fields["Content-Range"] == field)
      #expect(answer.fields["Content-Length"] == String(bytes.count) && answer.fields["Age"] == "0")
    }

    @Test(
      "3.3: a part answers ranges that are wholly in it, and marks them",
      arguments: [
        ("40-49/100", "40-49", 0..<10), ("40-59/100", "45-49", 5..<10), ("90-99/100", "95-", 5..<10),
        ("90-99/100", "-5", 5..<10),
        ("90-99/100", "95-200", 5..<10), ("40-59/*", "45-49", 5..<10), ("0-99/100", "0-", 0..<100),
      ] as [(String, String, Range<Int64>)])
    func rangesOfPart(_ stored: String, _ range: String, _ bytes: Range<Int64>) throws {
      let head = try part(stored)
      #expect(lookup([head], ranged(range)) == .answer(0, .fresh))
      let answer = try #require(CacheRules().answer(from: head, to: ranged(range), at: date))
      #expect(answer.statusCode == 206 && answer.bytes == bytes)
      #expect(answer.fields["Content-Length"] == String(bytes.count))
    }

    @Test(
      "3.3: it answers nothing else",
      arguments: [
        ("40-49/100", "0-9"), ("40-49/100", "50-59"), ("40-49/100", "0-"), ("40-49/100", "100-"), ("40-49/*", "45-"),
        ("90-99/*", "-5"),
        ("40-49/*", "45-50"), ("40-49/100", "0-99"), ("40-49/100", "41-42,44-45"),
      ])
    func otherRanges(_ stored: String, _ range: String) throws {
      let head = try part(stored)
      #expect(lookup([head], ranged(range)) == .miss(.otherPart))
      #expect(CacheRules().answer(from: head, to: ranged(range), at: date) == nil)
      #expect(lookup([head]) == .miss(.otherPart))
      #expect(lookup([head], request(policy: .returnCacheDataElseLoad)) == .miss(.otherPart))
    }

    @Test(
      "4.3.2, 13.1.5 of RFC 9110: a range on a condition",
      arguments: [
        ("\"a\"", 206), ("\"b\"", 200), ("W/\"a\"", 200), (dayBefore, 206), (dateField, 200),
      ])
    func ifRange(_ condition: String, _ status: Int) throws {
      let fields = Self.whole.with("Last-Modified", dayBefore).with("Date", dateField)
      let asked = ranged("40-49", ifRange: condition)
      #expect(CacheRules().answer(from: try stored(fields), to: asked, at: date)?.statusCode == status)
      #expect(
        CacheRules().answer(from: try part("40-49/100", fields), to: asked, at: date)?.statusCode
          == (status == 206 ? 206 : nil))
    }

    @Test("14.2 of RFC 9110: ranges are of a 200, and not of a body that was decoded") func uncut() throws {
      let missing = try stored(["Cache-Control": "max-age=60"], status: 404)
      #expect(CacheRules().answer(from: missing, to: ranged("0-9"), at: date)?.statusCode == 404)
      let decoded = try stored(Self.whole.with("Content-Encoding", "gzip"))
      #expect(lookup([decoded], ranged("0-9")) == .miss(.otherPart))
      #expect(lookup([decoded]) == .answer(0, .fresh))
      #expect(
        lookup([try stored(Self.whole.with("Content-Encoding", "identity"))], ranged("0-9")) == .answer(0, .fresh))
      var short = try part("40-49/100")
      short.bodyLength = 9
      #expect(lookup([short], ranged("40-49")) == .miss(.otherPart))
    }

    @Test("4.3.2: a part that answers is asked about, stale as it is") func staleParts() throws {
      let head = try part("40-49/100")
      let result = lookup([head], after: 60, ranged("40-49"))
      #expect(result == .validate([0], ConditionalFields(head, forPart: true), staleIfError: nil, .stale))
    }

    // MARK: - Completion

    @Test(
      "3.3: what a part lacks is asked for, if it is one piece",
      arguments: [
        ("0-49/100", nil, "bytes=50-"), ("50-99/100", nil, "bytes=0-49"), ("0-49/100", "0-", "bytes=50-"),
        ("40-49/100", "45-54", "bytes=50-54"),
        ("40-49/100", "35-44", "bytes=35-39"), ("40-49/100", "45-", "bytes=50-"), ("50-59/100", "-50", "bytes=60-"),
        // In two pieces, none of it, no range, an unknown end.
        ("40-49/100", nil, nil), ("40-49/100", "30-60", nil), ("40-49/100", "50-59", nil),
        ("0-49/100", "0-9,20-29", nil), ("0-49/*", nil, nil),
      ] as [(String, String?, String?)])
    func completion(_ stored: String, _ range: String?, _ missing: String?) throws {
      let head = try part(stored)
      let asked = range.map { ranged($0) } ?? request()
      for age in [0.0, 1e6] {
        let result = lookup([head], after: age, asked)
        guard let missing else {
          #expect(result == .miss(.otherPart))
          continue
        }
        let completion = CacheCompletion(missing: try #require(ByteRange(fieldValue: missing)), ifRange: "\"a\"")
        #expect(result == .complete(0, completion, .incomplete))
        #expect(completion.fields.map(\.value) == [missing, "\"a\""])
      }
    }

    @Test("3.4: not without a strong validator, for HEAD, or on another condition") func noCompletion() throws {
      for tag in ["W/\"a\"", "", "a"] { #expect(lookup([try part("0-49/100", ["ETag": tag])]) == .miss(.otherPart)) }
      let head = try part("0-49/100")
      #expect(lookup([head], request(method: "HEAD")) == .miss(.otherPart))
      #expect(lookup([head], ranged("0-", ifRange: "\"b\"")) == .miss(.otherPart))
      #expect(lookup([head], request(policy: .returnCacheDataDontLoad)) == .unavailable(.incomplete))
    }

    @Test(
      "3.4: parts of one version become one",
      arguments: [
        ("0-49/100", "50-99/100", nil, 100), ("50-99/100", "0-49/100", nil, 100), ("0-49/*", "50-99/100", nil, 100),
        ("0-59/100", "50-99/100", nil, 100), ("0-49/100", "50-59/100", "bytes 0-59/100", 60),
        ("40-49/100", "30-39/*", "bytes 30-49/100", 20),
        ("40-49/100", "42-43/100", "bytes 40-49/100", 10), ("0-49/*", "50-59/*", "bytes 0-59/*", 60),
      ] as [(String, String, String?, Int64)])
    func combining(_ first: String, _ second: String, _ range: String?, _ length: Int64) throws {
      let new = response(
        ["Content-Range": "bytes \(second)", "ETag": "\"a\"", "X": "new", "Content-Length": "7", "Date": dateField],
        status: 206)
      let head = try #require(
        CacheRules().combined(
          try part(first, Self.whole.with("X", "old")), with: new, requestDate: date, responseDate: date + 9))
      #expect(head.statusCode == (range == nil ? 200 : 206) && head.bodyLength == length && head.fields["X"] == "new")
      #expect(head.fields["Content-Length"] == String(length) && head.fields["Content-Range"] == range)
      #expect(head.part == range.flatMap(ContentRange.init(fieldValue:)) && head.responseDate == date + 9)
    }

    @Test(
      "3.4: others do not",
      arguments: [
        (["ETag": "\"b\""], "50-99/100", 206), (["ETag": "W/\"a\""], "50-99/100", 206), ([:], "50-99/100", 206),
        (["ETag": "\"a\""], "51-99/100", 206), (["ETag": "\"a\""], "50-98/99", 206), (["ETag": "\"a\""], "x", 206),
        (["ETag": "\"a\""], "50-99/100", 200), (["ETag": "\"a\"", "Content-Encoding": "gzip"], "50-99/100", 206),
      ] as [(HTTPFields, String, Int)])
    func notCombining(_ fields: HTTPFields, _ range: String, _ status: Int) throws {
      let new = response(fields.with("Content-Range", "bytes \(range)"), status: status)
      #expect(CacheRules().combined(try part("0-49/100"), with: new, requestDate: date, responseDate: date) == nil)
      #expect(CacheRules().combined(try stored(Self.whole), with: new, requestDate: date, responseDate: date) == nil)
    }

    @Test("3.4, 15.3.7 of RFC 9110: a date that was the condition need not be repeated") func combiningByDate() throws {
      let old = try part("0-49/100", ["Last-Modified": dayBefore, "Date": dateField])
      func fits(_ fields: HTTPFields) -> Bool {
        let new = response(fields.with("Content-Range", "bytes 50-99/100"), status: 206)
        return CacheRules().combined(old, with: new, requestDate: date, responseDate: date) != nil
      }
      #expect(
        fits([:]) && fits(["Last-Modified": dayBefore]) && !fits(["Last-Modified": dateField])
          && !fits(["ETag": "\"a\""]))
      let weak = try part("0-49/100", ["Last-Modified": dateField, "Date": dateField])
      let new = response(["Content-Range": "bytes 50-99/100", "Last-Modified": dateField], status: 206)
      #expect(CacheRules().combined(weak, with: new, requestDate: date, responseDate: date) == nil)
    }
  }
}
