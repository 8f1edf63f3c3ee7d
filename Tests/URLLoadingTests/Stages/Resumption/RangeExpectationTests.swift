import Foundation
import Testing
import URLLoading

/// Whether an answer continues, replaces or contradicts what is there.
@Suite struct RangeExpectationTests {
  private enum Kind: Equatable {
    case continues, replaces, unsatisfiable, other
    case contradicts(RangeExpectation.Contradiction.Kind)
  }

  private static func kind(_ verdict: RangeExpectation.Verdict) -> Kind {
    switch verdict {
    case .continues: .continues
    case .replaces: .replaces
    case .contradicts(let contradiction): .contradicts(contradiction.kind)
    case .unsatisfiable: .unsatisfiable
    case .other: .other
    }
  }

  private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"
  private static let tagged = ResourceValidators(entityTag: "\"a\"")
  private static let dated = ResourceValidators(lastModified: Date(timeIntervalSince1970: 1_700_000_000))
  private static let weak = ResourceValidators(entityTag: "W/\"a\"")

  private func judge(_ expectation: RangeExpectation, _ status: Int, _ fields: [String: String]) throws -> Kind {
    let url = "http://h/a" as URL
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields))
    return Self.kind(expectation.verdict(on: response))
  }

  @Test func theRestOfAVersion() throws {
    let rest = RangeExpectation(range: .from(500), completeLength: 1000, validators: Self.tagged)
    let right = ["Content-Range": "bytes 500-999/1000", "ETag": "\"a\""]
    let cases: [(Int, [String: String], Kind)] = [
      (206, [:], .continues),
      (206, ["Content-Length": "500", "Content-Encoding": "identity"], .continues),
      (206, ["Content-Range": "bytes 500-999/*"], .continues),
      (206, ["Content-Range": "Bytes 500-999/1000", "Last-Modified": Self.date], .continues),
      (200, ["Content-Range": ""], .replaces), (203, ["Content-Range": ""], .replaces),
      (200, ["ETag": "\"b\"", "Content-Encoding": "gzip"], .replaces),
      (206, ["Content-Range": ""], .contradicts(.range)),
      (206, ["Content-Range": "bytes 500-999"], .contradicts(.range)),
      (206, ["Content-Range": "bytes 999-500/1000"], .contradicts(.range)),
      (206, ["Content-Range": "bytes 500-1000/1000"], .contradicts(.range)),
      (206, ["Content-Range": "bytes */1000"], .contradicts(.range)),
      (206, ["Content-Range": "lines 500-999/1000"], .contradicts(.range)),
      (206, ["Content-Range": "", "Content-Type": "multipart/byteranges; boundary=x"], .contradicts(.range)),
      (206, ["Content-Range": "bytes 501-999/1000"], .contradicts(.range)),
      (206, ["Content-Range": "bytes 499-999/1000"], .contradicts(.range)),
      (206, ["Content-Range": "bytes 500-899/1000"], .contradicts(.range)),
      (206, ["Content-Range": "bytes 500-899/*"], .contradicts(.range)),
      (206, ["Content-Range": "bytes 500-1999/2000"], .contradicts(.version)),
      (206, ["Content-Range": "bytes 500-899/900"], .contradicts(.version)),
      (206, ["ETag": "\"b\""], .contradicts(.version)),
      (206, ["ETag": "W/\"a\""], .contradicts(.version)),
      (206, ["ETag": "a"], .contradicts(.version)),
      (206, ["ETag": ""], .contradicts(.version)),
      (206, ["Content-Encoding": "gzip"], .contradicts(.form)),
      (206, ["Content-Encoding": "aws-chunked"], .continues),
      (206, ["Content-Encoding": "gzip, none-of-these"], .continues),
      (206, ["Content-Encoding": "identity, br"], .contradicts(.form)),
      (206, ["Content-Length": "400"], .contradicts(.form)),
      (206, ["Content-Length": "505"], .contradicts(.form)),
      (416, ["Content-Range": "bytes */400"], .unsatisfiable),
      (416, [:], .unsatisfiable),
      (204, [:], .other), (304, [:], .other), (302, [:], .other), (404, [:], .other), (503, [:], .other),
    ]
    for (status, changes, expected) in cases {
      let fields = right.merging(changes) { $1 }.filter { !$0.value.isEmpty }
      #expect(try judge(rest, status, fields) == expected, "\(status) \(changes)")
    }
  }

  @Test func aVersionThatOnlyItsDateTells() throws {
    let rest = RangeExpectation(range: .from(500), completeLength: 1000, validators: Self.dated)
    let range = ["Content-Range": "bytes 500-999/1000"]
    // A part need not repeat the date that was its condition.
    #expect(try judge(rest, 206, range) == .continues)
    #expect(try judge(rest, 206, range.merging(["Last-Modified": Self.date]) { $1 }) == .continues)
    let later = range.merging(["Last-Modified": "Tue, 14 Nov 2023 22:13:21 GMT"]) { $1 }
    #expect(try judge(rest, 206, later) == .contradicts(.version))
  }

  @Test func aVersionThatNothingStrongTells() throws {
    var rest = RangeExpectation(range: .from(500), completeLength: 1000, validators: Self.weak)
    #expect(try judge(rest, 206, ["Content-Range": "bytes 500-999/1000", "ETag": "W/\"a\""]) == .continues)
    #expect(
      try judge(rest, 206, ["Content-Range": "bytes 500-999/1000", "ETag": "W/\"b\""]) == .contradicts(.version))
    #expect(
      try judge(rest, 206, ["Content-Range": "bytes 500-999/*", "ETag": "W/\"a\""]) == .contradicts(.version))
    rest.validators = ResourceValidators()
    #expect(try judge(rest, 206, ["Content-Range": "bytes 500-999/1000"]) == .continues)
    #expect(try judge(rest, 206, ["Content-Range": "bytes 500-999/*"]) == .contradicts(.version))
  }

  /// Where the length is not known, nobody knows of a range that ends early whether the resource does.
  @Test func rangesOfEachForm() throws {
    let cases: [(ByteRange, String, Kind)] = [
      (.positions(first: 0, last: 99), "bytes 0-99/1000", .continues),
      (.positions(first: 0, last: 99), "bytes 0-99/*", .continues),
      (.positions(first: 0, last: 99), "bytes 0-49/50", .continues),
      (.positions(first: 0, last: 99), "bytes 0-49/*", .contradicts(.range)),
      (.positions(first: 0, last: 99), "bytes 0-49/1000", .contradicts(.range)),
      (.positions(first: 0, last: 99), "bytes 0-199/1000", .contradicts(.range)),
      (.positions(first: 0, last: 99), "bytes 100-199/1000", .contradicts(.range)),
      (.from(900), "bytes 900-999/1000", .continues),
      (.from(900), "bytes 900-998/1000", .contradicts(.range)),
      (.from(900), "bytes 900-999/*", .contradicts(.range)),
      (.from(900), "bytes 0-0/1", .contradicts(.range)),
      (.suffix(length: 100), "bytes 900-999/1000", .continues),
      (.suffix(length: 100), "bytes 900-999/*", .continues),
      (.suffix(length: 100), "bytes 0-9/10", .continues),
      (.suffix(length: 100), "bytes 0-99/1000", .contradicts(.range)),
      (.suffix(length: 100), "bytes 950-999/*", .contradicts(.range)),
      (.suffix(length: 0), "bytes 0-9/10", .contradicts(.range)),
    ]
    for (range, answer, expected) in cases {
      #expect(
        try judge(RangeExpectation(range: range), 206, ["Content-Range": answer]) == expected, "\(range) \(answer)")
    }
  }

  @Test(arguments: [["Content-Range": "bytes 0-999/1000"], ["Content-Range": "bytes 5-9/10"], [:]])
  func aPartThatNobodyAskedFor(fields: [String: String]) throws {
    #expect(try judge(RangeExpectation(range: nil), 206, fields) == .contradicts(.unasked))
    #expect(try judge(RangeExpectation(range: nil), 200, fields) == .replaces)
  }

  /// Servers that answer a request for a range with the part, and with the status of the whole.
  @Test func aPartWithTheStatusOfTheWhole() throws {
    let rest = RangeExpectation(range: .from(500), completeLength: 1000, validators: Self.tagged)
    let right = ["Content-Range": "bytes 500-999/1000", "ETag": "\"a\""]
    let cases: [([String: String], Kind)] = [
      ([:], .continues), (["Content-Length": "500"], .continues),
      (["Content-Encoding": "identity, aws-chunked"], .continues),
      (["Content-Range": "bytes 500-999/*"], .contradicts(.range)),
      (["Content-Range": "bytes 500-1499/1500"], .contradicts(.version)),
      (["Content-Range": "bytes 500-899/900"], .contradicts(.version)),
      (["Content-Range": "bytes 501-999/1000"], .contradicts(.range)),
      (["Content-Range": "bytes 500-899/1000"], .contradicts(.range)),
      (["Content-Range": "bytes */1000"], .contradicts(.range)),
      (["Content-Range": "bytes */1000", "Content-Length": "500"], .contradicts(.range)),
      (["ETag": ""], .contradicts(.version)), (["ETag": "W/\"a\""], .contradicts(.version)),
      (["ETag": "\"b\""], .contradicts(.version)), (["Content-Length": "1000"], .contradicts(.form)),
      // The whole.
      (["Content-Range": ""], .replaces), (["Content-Range": "bytes 0-999/1000", "Content-Length": "1000"], .replaces),
      (["Content-Range": "bytes 0-999/1000"], .replaces), (["Content-Range": "bytes 0-99/1000"], .replaces),
      (["Content-Range": "bytes */1000", "Content-Length": "1000"], .replaces),
      (["Content-Range": "lines 500-999/1000"], .replaces), (["Content-Range": "x"], .replaces),
      (["Content-Encoding": "gzip"], .replaces),
      // The beginning, by its length.
      (["Content-Range": "bytes 0-99/1000", "Content-Length": "100"], .contradicts(.range)),
    ]
    for (changes, expected) in cases {
      let fields = right.merging(changes) { $1 }.filter { !$0.value.isEmpty }
      for status in [200, 203] { #expect(try judge(rest, status, fields) == expected, "\(status) \(changes)") }
      // Where no range was asked for, it means nothing.
      #expect(
        try judge(RangeExpectation(range: nil, completeLength: 1000, validators: Self.tagged), 200, fields) == .replaces
      )
    }
    let dated = [
      "Content-Range": "bytes 500-999/1000", "Last-Modified": Self.date, "Date": "Tue, 14 Nov 2023 23:13:20 GMT",
    ]
    let known = RangeExpectation(range: .from(500), completeLength: 1000, validators: Self.dated)
    #expect(try judge(known, 200, dated) == .continues)
    #expect(
      try judge(known, 200, dated.merging(["Last-Modified": "Tue, 14 Nov 2023 22:13:21 GMT"]) { $1 })
        == .contradicts(.version))
    #expect(try judge(known, 200, ["Content-Range": "bytes 500-999/1000"]) == .contradicts(.version))
    let nothing = RangeExpectation(range: .positions(first: 10, last: 19))
    #expect(try judge(nothing, 200, ["Content-Range": "bytes 10-19/100", "ETag": "\"a\""]) == .continues)
    #expect(try judge(nothing, 200, ["Content-Range": "bytes 10-19/100"]) == .contradicts(.version))
    let beginning = ["Content-Range": "bytes 0-99/1000", "Content-Length": "100", "ETag": "\"a\""]
    #expect(try judge(RangeExpectation(range: .positions(first: 0, last: 99)), 200, beginning) == .continues)
    #expect(try judge(RangeExpectation(range: .suffix(length: 100)), 200, right) == .contradicts(.range))
    #expect(try judge(RangeExpectation(range: .suffix(length: 500)), 200, right) == .continues)
  }

  /// Schemes without a status.
  @Test func answersOfAnyScheme() throws {
    func answer(_ range: ContentRange?, length: Int64 = -1, tag: String? = "\"a\"") -> URLResponse {
      URLResponse(
        url: "x://a" as URL, mimeType: nil, expectedContentLength: length, textEncodingName: nil, contentRange: range,
        validators: ResourceValidators(entityTag: tag))
    }
    let part = try #require(ContentRange(firstByte: 500, lastByte: 999, completeLength: 1000))
    let rest = RangeExpectation(range: .from(500), completeLength: 1000, validators: Self.tagged)
    #expect(rest.verdict(on: answer(part)) == .continues(part))
    #expect(rest.verdict(on: answer(part, length: 500)) == .continues(part))
    #expect(rest.verdict(on: answer(nil)) == .replaces)
    #expect(Self.kind(rest.verdict(on: answer(part, length: 400))) == .contradicts(.form))
    #expect(Self.kind(rest.verdict(on: answer(part, tag: "\"b\""))) == .contradicts(.version))
    #expect(Self.kind(rest.verdict(on: answer(part, tag: nil))) == .contradicts(.version))
    #expect(Self.kind(RangeExpectation(range: nil).verdict(on: answer(part))) == .contradicts(.unasked))
  }

  @Test func contradictionsSayWhatDoesNotFit() throws {
    let rest = RangeExpectation(range: .from(500), completeLength: 1000, validators: Self.tagged)
    for (fields, words) in [
      (["Content-Range": "bytes 501-999/1000"], "bytes=500-"), (["Content-Range": "lines 1-2/3"], "lines 1-2/3"),
      (["Content-Range": "bytes 500-999/1000", "ETag": "\"b\""], "\"b\""),
      (["Content-Range": "bytes 500-999/1000", "ETag": "\"a\"", "Content-Length": "400"], "400 bytes"),
      (["Content-Type": "multipart/byteranges"], "several parts"),
    ] {
      let response = try #require(
        HTTPURLResponse(url: "http://h/a" as URL, statusCode: 206, httpVersion: nil, headerFields: fields))
      guard case .contradicts(let contradiction) = rest.verdict(on: response) else {
        Issue.record("\(fields)")
        continue
      }
      #expect(contradiction.description.contains(words), "\(contradiction)")
    }
  }
}
