import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct ByteRangeTests {
  @Test(
    arguments: [
      ("bytes=0-9", .positions(first: 0, last: 9)), ("bytes=5-", .from(5)), ("bytes=-5", .suffix(length: 5)),
      (" Bytes= 0-9 ", .positions(first: 0, last: 9)), ("bytes=3-3", .positions(first: 3, last: 3)),
      ("bytes=0-99999999999999999999", .positions(first: 0, last: .max)), ("bytes=99999999999999999999-", .from(.max)),
      ("bytes=9-0", nil), ("bytes=0-9,20-29", nil), ("bytes=-", nil), ("bytes=", nil), ("", nil), ("bytes", nil),
      ("items=0-9", nil), ("bytes=a-b", nil), ("bytes=0--9", nil), ("bytes=--5", nil), ("bytes=+1-2", nil),
      ("bytes=0-9-", nil), ("bytes 0-9", nil), ("bytes=1.5-2", nil), ("bytes=٠-٩", nil), ("bytes=0 - 9", nil),
    ] as [(String, ByteRange?)])
  func reads(field: String, expected: ByteRange?) {
    #expect(ByteRange(fieldValue: field) == expected)
    if let expected {
      #expect(ByteRange(fieldValue: expected.fieldValue) == expected)
    }
  }

  @Test(
    arguments: [
      ("bytes=0-9", 100, 0, 9), ("bytes=0-9", 10, 0, 9), ("bytes=0-9", 5, 0, 4), ("bytes=5-", 10, 5, 9),
      ("bytes=-5", 10, 5, 9), ("bytes=-50", 10, 0, 9), ("bytes=9-9", 10, 9, 9),
      ("bytes=0-99999999999999999999", 10, 0, 9), ("bytes=-99999999999999999999", 10, 0, 9),
    ] as [(String, Int64, Int64, Int64)])
  func selectsParts(field: String, length: Int64, first: Int64, last: Int64) throws {
    let expected = try #require(ContentRange(firstByte: first, lastByte: last, completeLength: length))
    #expect(try #require(ByteRange(fieldValue: field)).selection(ofLength: length) == .partial(expected))
  }

  @Test(
    arguments: [
      ("bytes=10-", 10), ("bytes=10-20", 10), ("bytes=-0", 10), ("bytes=0-", 0), ("bytes=99999999999999999999-", .max),
    ] as [(String, Int64)])
  func beyondTheEnd(field: String, length: Int64) throws {
    #expect(try #require(ByteRange(fieldValue: field)).selection(ofLength: length) == .unsatisfiable(length: length))
  }

  @Test func theEndOfNothingIsAllOfIt() {
    #expect(ByteRange.suffix(length: 5).selection(ofLength: 0) == .whole)
    #expect(ByteRange.from(0).selection(ofLength: -5) == .unsatisfiable(length: 0))
  }

  @Test func randomRangesLieInTheResource() {
    var random = SeededGenerator(seed: 5)
    let bounds: [Int64] = [0, 1, 2, 9, 10, 11, .max - 1, .max]
    for _ in 0..<3000 {
      let first = bounds.randomElement(using: &random) ?? 0
      let last = bounds.randomElement(using: &random) ?? 0
      let length = bounds.randomElement(using: &random) ?? 0
      for range in [
        ByteRange.positions(first: min(first, last), last: max(first, last)), .from(first), .suffix(length: first),
      ] {
        guard case .partial(let part) = range.selection(ofLength: length) else { continue }
        #expect(part.firstByte >= 0 && part.lastByte < length && part.length >= 1 && part.length <= length)
      }
    }
  }

  @Test(
    arguments: [
      ("bytes 0-9/100", 0, 9, 100), ("bytes 0-9/*", 0, 9, nil), ("Bytes  5-5/6", 5, 5, 6), ("bytes=0-0/1", 0, 0, 1),
    ] as [(String, Int64, Int64, Int64?)])
  func readsContentRange(field: String, first: Int64, last: Int64, length: Int64?) {
    #expect(ContentRange(fieldValue: field) == ContentRange(firstByte: first, lastByte: last, completeLength: length))
    #expect(ContentRange(fieldValue: field) != nil)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes */100", "bytes 9-0/100", "bytes 0-9/9", "bytes 0-9", "bytes 0-9/", "bytes -1-9/100",
    "bytes 0-/100", "items 0-9/100", "bytes 0-9/100/100", "bytes 0-9223372036854775807/*",
    "bytes 0-99999999999999999999/*", "bytes 0-9/99999999999999999999", "bytes a-b/c", "bytes0-9/10",
  ])
  func refusesContentRange(field: String) {
    #expect(ContentRange(fieldValue: field) == nil)
  }

  @Test func unsatisfiedLength() {
    #expect(ContentRange.unsatisfiedLength(fieldValue: "bytes */100") == 100)
    #expect(ContentRange.unsatisfiedLength(fieldValue: "bytes 0-9/100") == nil)
    #expect(ContentRange.unsatisfiedLength(fieldValue: "bytes */*") == nil)
  }

  private func selection(
    range: String?, ifRange: String? = nil, method: String = "GET", _ validators: ResourceValidators
  ) -> ByteRangeSelection {
    var request = URLRequest(url: "file:///x")
    request.httpMethod = method
    request.setValue(range, forHTTPHeaderField: "Range")
    request.setValue(ifRange, forHTTPHeaderField: "If-Range")
    return request.byteRange(ofLength: 100, validators: validators)
  }

  @Test func requests() throws {
    let date = Date(timeIntervalSince1970: 784_111_777.75)
    let validators = ResourceValidators(entityTag: "\"x\"", lastModified: date)
    let part = ByteRangeSelection.partial(try #require(ContentRange(firstByte: 5, lastByte: 99, completeLength: 100)))
    #expect(selection(range: nil, validators) == .whole)
    #expect(selection(range: "bytes=5-", validators) == part)
    #expect(selection(range: "bytes=5-", method: "HEAD", validators) == .whole)
    #expect(selection(range: "bytes=5-,9-", validators) == .whole)
    #expect(selection(range: "bytes=200-", validators) == .unsatisfiable(length: 100))
    #expect(selection(range: "bytes=5-", ifRange: "\"x\"", validators) == part)
    #expect(selection(range: "bytes=5-", ifRange: "\"y\"", validators) == .whole)
    #expect(selection(range: "bytes=5-", ifRange: "W/\"x\"", validators) == .whole)
    #expect(selection(range: "bytes=5-", ifRange: "x", validators) == .whole)
    #expect(selection(range: "bytes=200-", ifRange: "\"y\"", validators) == .whole)
    #expect(selection(range: "bytes=5-", ifRange: "Sun, 06 Nov 1994 08:49:37 GMT", validators) == part)
    #expect(selection(range: "bytes=5-", ifRange: "Sun, 06 Nov 1994 08:49:38 GMT", validators) == .whole)
    #expect(selection(range: "bytes=5-", ifRange: "Sun, 06 Nov 1994 08:49:36 GMT", validators) == .whole)
    let weak = ResourceValidators(entityTag: "W/\"x\"", lastModified: date, isLastModifiedStrong: false)
    #expect(selection(range: "bytes=5-", ifRange: "W/\"x\"", weak) == .whole)
    #expect(selection(range: "bytes=5-", ifRange: "Sun, 06 Nov 1994 08:49:37 GMT", weak) == .whole)
    #expect(selection(range: "bytes=5-", ifRange: "\"x\"", ResourceValidators()) == .whole)
  }

  @Test func aValidatorMatchesItself() {
    for validators in [
      ResourceValidators(entityTag: "\"\""), ResourceValidators(entityTag: "\"é~\""),
      ResourceValidators(lastModified: Date(timeIntervalSince1970: 12_345.678)),
    ] {
      #expect(validators.isStrong)
      #expect(validators.ifRangeValue.map { validators.matches(ifRange: $0) } == true)
    }
    for tag in ["x", "\"", "W/\"x\"", "", "\"a\"b\"", "\"\u{7F}\""] {
      #expect(!ResourceValidators(entityTag: tag, lastModified: Date()).isStrong)
    }
  }
}
