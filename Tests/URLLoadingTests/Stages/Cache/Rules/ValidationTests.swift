import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

extension CachingRules {
  @Suite("RFC 9111, 4.3: validation") struct Validating {
    private static let both: HTTPFields = ["ETag": "\"a\"", "Last-Modified": dayBefore, "Cache-Control": "max-age=0"]

    @Test(
      "4.3.1: the entity tag and the date, as they came",
      arguments: [
        (both, ["\"a\"", dayBefore]), (["ETag": " W/\"a\" "], ["W/\"a\""]), (["ETag": "a"], ["a"]), (["ETag": ""], []),
        (["Last-Modified": "monday, 13-Nov-23 22:13:20 GMT"], ["monday, 13-Nov-23 22:13:20 GMT"]), ([:], []),
        (["Last-Modified": " "], []),
      ] as [(HTTPFields, [String])])
    func conditions(_ fields: HTTPFields, _ values: [String]) throws {
      let result = lookup([try stored(fields)], after: 1e6)
      #expect(result.reason == .stale)
      #expect(result.conditions?.fields.map(\.value) == values)
      #expect(result.conditions?.fields.isEmpty == values.isEmpty)
    }

    @Test("4.3.1: no date for a part") func conditionsOfParts() throws {
      let asked = request(["Range": "bytes=0-9"])
      let head = try stored(Self.both)
      #expect(lookup([head], asked).conditions?.fields.map(\.name) == ["If-None-Match"])
      #expect(lookup([head]).conditions?.fields.map(\.name) == ["If-None-Match", "If-Modified-Since"])
    }

    @Test(
      "5.2.2.4: no-cache is validated however fresh, its qualified form is not",
      arguments: [
        ("no-cache", .noCache), ("NO-CACHE", .noCache), ("no-cache=\"\"", .noCache), ("no-cache=", .noCache),
        ("no-cache=\" , \"", .noCache),
        ("no-cache=\"a\", no-cache", .noCache), ("no-cache=\"a\" x", .noCache), ("no-cache=\"a, b\"", .fresh),
        ("no-cache=a", .fresh),
      ] as [(String, CacheReason)])
    func noCache(_ directive: String, _ expected: CacheReason) throws {
      #expect(try reason(["Cache-Control": "max-age=60, \(directive)"], after: 0) == expected)
    }

    // MARK: - 304

    @Test(
      "4.3.4: which stored responses a 304 is about",
      arguments: [
        // Strong validators: all that have the same.
        (["ETag": "\"a\""], [1, 0]), (["ETag": "\"b\""], [2]), (["ETag": "\"x\""], []),
        (["ETag": "\"x\"", "Last-Modified": dayBefore], []), (["ETag": "\"w\""], []),
        // Weak ones: the most recent that corresponds.
        (["ETag": "W/\"a\""], [1]), (["ETag": "W/\"w\""], [3]), (["ETag": "W/\"x\""], []),
        // A date, strong or not.
        (["Last-Modified": dayBefore, "Date": dateField], [4]), (["Last-Modified": dayBefore, "Date": dayBefore], [4]),
        (["Last-Modified": dateField], []),
        // None at all, and several were named.
        ([:], []), (["Date": dateField, "ETag": ""], []),
      ] as [(HTTPFields, [Int])])
    func selection(_ fields: HTTPFields, _ expected: [Int]) throws {
      let heads = [
        try stored(["ETag": "\"a\"", "Date": dayBefore]), try stored(["ETag": "\"a\""]), try stored(["ETag": "\"b\""]),
        try stored(["ETag": "W/\"w\""]), try stored(["Last-Modified": dayBefore]),
      ]
      #expect(CacheRules().selected(by: response(fields, status: 304), among: heads) == expected)
    }

    @Test("4.3.4: a 304 without a validator is about the only one that was named") func bareNotModified() throws {
      let (bare, tagged) = (try stored([:]), try stored(["ETag": "\"a\""]))
      let rules = CacheRules()
      #expect(rules.selected(by: response([:], status: 304), among: [bare]) == [0])
      #expect(rules.selected(by: response([:], status: 304), among: [tagged]) == [0])
      #expect(rules.selected(by: response([:], status: 304), among: [bare, tagged]) == [])
      #expect(rules.selected(by: response([:], status: 304), among: []) == [])
      #expect(rules.selected(by: response(["ETag": "\"a\""], status: 304), among: [bare]) == [])
    }

    @Test("3.2, 4.3.4: the fields of a 304 replace those that are stored, but for those of the bytes") func freshening()
      throws
    {
      var head = try stored([
        "Date": dayBefore, "ETag": "\"a\"", "Content-Length": "100", "Content-Type": "text/plain", "X": "1",
        "Set-Cookie": "a=1", "Y": "2",
        "set-cookie": "b=2", "Age": "50", "Vary": "A", "Cache-Control": "max-age=60", "Content-Encoding": "gzip",
        "Expires": dayBefore,
      ])
      head.requestDate = date - 86_400
      head.responseDate = date - 86_400
      let new: HTTPFields = [
        "Date": dateField, "etag": "\"a\"", "Content-Length": "0", "Content-Type": "text/html", "x": "3",
        "Set-Cookie": "c=3",
        "Content-Encoding": "br", "Content-Range": "bytes 0-1/2", "Transfer-Encoding": "chunked", "Vary": "B", "Z": "1",
        "z": "2",
        "Connection": "Hop", "Hop": "1", "Cache-Control": "max-age=120", "Proxy-Authenticate": "Basic",
      ]
      let fresh = CacheRules().freshened(
        head, by: response(new, status: 304), requestDate: date, responseDate: date + 1)
      #expect(
        fresh.fields == [
          "Date": dateField, "ETag": "\"a\"", "Content-Length": "100", "Content-Type": "text/html", "X": "3",
          "Set-Cookie": "c=3",
          "Y": "2", "Vary": "A", "Cache-Control": "max-age=120", "Content-Encoding": "gzip", "Expires": dayBefore,
          "Z": "1", "z": "2",
        ])
      #expect(fresh.fields.values(of: "Z") == ["1", "2"])
      #expect(fresh.requestDate == date && fresh.responseDate == date + 1)
      #expect(fresh.statusCode == 200 && fresh.bodyLength == 100 && fresh.selectingFields == head.selectingFields)
      #expect(CacheRules().age(of: fresh, at: date + 5) == 5)
      #expect(lookup([fresh], after: 119).reason == .fresh)
    }

    @Test("4.2.3: a 304 without a date and an age is as old as its arrival") func freshenedAge() throws {
      let head = try stored(["Date": dayBefore, "Age": "100", "Cache-Control": "max-age=60"])
      let rules = CacheRules()
      let fresh = rules.freshened(head, by: response([:], status: 304), requestDate: date + 10, responseDate: date + 12)
      #expect(rules.age(of: fresh, at: date + 12) == 2)
      let aged = rules.freshened(
        head, by: response(["Age": "7"], status: 304), requestDate: date + 10, responseDate: date + 12)
      #expect(rules.age(of: aged, at: date + 12) == 9)
    }

    @Test("3.1, 3.2: fields that may not be stored are not stored by an update either") func withheldUpdate() throws {
      let head = try stored(["Cache-Control": "no-cache=\"X\", max-age=60", "X": "1"])
      let fresh = CacheRules().freshened(
        head, by: response(["X": "2", "Y": "3"], status: 304), requestDate: date, responseDate: date)
      #expect(fresh.fields["X"] == nil && fresh.fields["Y"] == "3")
    }

    @Test("3.2, 5.2.2.5, 3.5: what an update forbids to store does not stay") func mayKeep() throws {
      let head = try stored(["Cache-Control": "public, max-age=60"], in: .shared)
      func keeps(_ directives: String, _ kind: CacheRules.Kind, _ fields: HTTPFields = [:]) -> Bool {
        let rules = CacheRules(kind: kind)
        let fresh = rules.freshened(
          head, by: response(["Cache-Control": directives], status: 304), requestDate: date, responseDate: date)
        return rules.mayKeep(fresh, answering: request(fields))
      }
      #expect(keeps("max-age=1", .private) && keeps("max-age=1", .shared))
      #expect(!keeps("no-store", .private))
      #expect(keeps("private", .private) && !keeps("private", .shared))
      #expect(!keeps("max-age=1", .shared, ["Authorization": "x"]) && keeps("public", .shared, ["Authorization": "x"]))
      #expect(!keeps("max-age=1", .private, ["Cache-Control": "no-store"]))
    }

    // MARK: - HEAD

    @Test(
      "4.3.5: an answer to HEAD updates what it describes, all else is stale",
      arguments: [
        ([:], true), (["ETag": "\"a\""], true), (["ETag": "\"b\""], false), (["ETag": "W/\"a\""], false),
        (["Last-Modified": dayBefore], true), (["Last-Modified": dateField], false),
        (["ETag": "\"a\"", "Last-Modified": dateField], false),
        (["Content-Length": "100"], true), (["Content-Length": "99"], false), (["Content-Length": "x"], false),
        (["ETag": "\"a\"", "Content-Length": "100", "Last-Modified": dayBefore], true),
        (["Cache-Control": "no-store"], false),
      ] as [(HTTPFields, Bool)])
    func headEffect(_ fields: HTTPFields, _ isUpdated: Bool) throws {
      let head = try stored([
        "ETag": "\"a\"", "Last-Modified": dayBefore, "Content-Length": "100", "X": "1", "Vary": "A",
      ])
      let other = try stored(["Vary": "A"], to: request(["A": "b"]))
      let rules = CacheRules()
      let effects = rules.freshenedByHead(
        [other, head], by: response(fields.with("X", "2")), to: request(method: "HEAD"), requestDate: date,
        responseDate: date + 5)
      guard isUpdated else {
        #expect(effects == [.stale(1)])
        return
      }
      let new = rules.freshened(head, by: response(fields.with("X", "2")), requestDate: date, responseDate: date + 5)
      #expect(effects == [.updated(1, new)] && new.fields["X"] == "2" && new.fields["Content-Length"] == "100")
    }

    @Test("4.3.5: no other answer does anything") func headWithoutEffect() throws {
      let head = try stored(["ETag": "\"a\""])
      let rules = CacheRules()
      func effects(_ status: Int, _ request: CacheRequest) -> [CacheRules.HeadEffect] {
        rules.freshenedByHead(
          [head], by: response(["ETag": "\"b\""], status: status), to: request, requestDate: date, responseDate: date)
      }
      #expect(effects(200, request(method: "HEAD")) == [.stale(0)])
      #expect(effects(204, request(method: "HEAD")) == [] && effects(404, request(method: "HEAD")) == [])
      #expect(
        effects(200, request()) == [] && effects(200, request(["Cache-Control": "no-store"], method: "HEAD")) == [])
    }

    @Test("4.3.5: the length of what is stored in part, decoded, or without a field") func headLengths() throws {
      let part = try stored(
        ["Content-Range": "bytes 0-9/50", "Content-Length": "10"], status: 206, to: request(["Range": "bytes=0-9"]))
      let unknown = try stored(["Content-Range": "bytes 0-9/*"], status: 206, to: request(["Range": "bytes=0-9"]))
      let decoded = try stored(["Content-Encoding": "gzip"])
      let bare = try stored([:])
      let redirect = try stored(["Content-Length": "50"], status: 301)
      func isKept(_ head: StoredHead, _ length: Int) -> Bool {
        let effects = CacheRules().freshenedByHead(
          [head], by: response(["Content-Length": "\(length)"]), to: request(method: "HEAD"), requestDate: date,
          responseDate: date)
        return effects != [.stale(0)]
      }
      #expect(isKept(part, 50) && !isKept(part, 10) && isKept(unknown, 10) && !isKept(unknown, 9))
      #expect(isKept(decoded, 7) && isKept(bare, 100) && !isKept(bare, 99) && !isKept(redirect, 50))
    }
  }
}
