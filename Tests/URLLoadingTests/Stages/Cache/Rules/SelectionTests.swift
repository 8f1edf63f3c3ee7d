import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

extension CachingRules {
  @Suite("RFC 9111, 4: choosing a stored response") struct Selecting {
    private func variant(_ fields: HTTPFields, of language: String? = nil) throws -> StoredHead {
      try stored(
        fields, to: request(language.map { ["Accept-Language": $0] } ?? [:]))
    }

    @Test("4: nothing is stored") func nothing() {
      #expect(lookup([]) == .miss(.nothingStored))
    }

    @Test("4: the method allows it", arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get"])
    func methods(_ method: String) throws {
      let head = try stored(["Cache-Control": "max-age=60"])
      #expect(lookup([head], request(method: method)) == .miss(.method))
      #expect(lookup([head], request(method: method, policy: .returnCacheDataElseLoad)) == .miss(.method))
      #expect(lookup([head], request(method: method, policy: .returnCacheDataDontLoad)) == .unavailable(.method))
    }

    @Test("4: a response to GET answers HEAD (RFC 9110, 9.3.2), unless it is a part") func head() throws {
      let head = try stored(["Cache-Control": "max-age=60"])
      #expect(lookup([head], request(method: "HEAD")) == .answer(0, .fresh))
      let part = try stored(
        ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-9/100"], status: 206,
        to: request(["Range": "bytes=0-9"]))
      #expect(lookup([part], request(["Range": "bytes=0-9"], method: "HEAD")) == .miss(.otherPart))
    }

    @Test(
      "4.1: request fields match but for what means nothing",
      arguments: [
        ("Accept-Language", "de, en;q=0.5", "DE,en ;q=0.5", true), ("Accept-Encoding", "gzip,br", "gzip , br", true),
        ("Accept", "text/html, */*", "text/html,*/*", true), ("Cookie", " a=b", "a=b ", true),
        ("Cookie", "a=b", "A=b", false),
        ("X", "a, b", "a,b", false), ("Accept-Language", "de", "en", false), ("Accept-Language", "de", nil, false),
        ("Accept-Language", nil, "de", false), ("Accept-Language", nil, "", false), ("X", nil, nil, true),
        ("X", "", "", true),
      ] as [(String, String?, String?, Bool)])
    func matching(_ name: String, _ first: String?, _ second: String?, _ isSame: Bool) throws {
      func asked(_ value: String?) -> CacheRequest { request(value.map { [name: $0] } ?? [:]) }
      let head = try stored(["Cache-Control": "max-age=60", "Vary": name], to: asked(first))
      #expect((lookup([head], asked(second)) == .answer(0, .fresh)) == isSame)
      #expect(lookup([head], asked(second)).reason == (isSame ? .fresh : .varies))
    }

    @Test("4.1: lines of one field are combined") func lines() throws {
      let head = try stored(
        ["Cache-Control": "max-age=60", "Vary": "Accept-Language"],
        to: request(["Accept-Language": "de", "accept-language": "en"]))
      #expect(lookup([head], request(["Accept-Language": "de, en"])) == .answer(0, .fresh))
    }

    @Test("4.1: \"*\", and what cannot be read, never matches", arguments: ["*", "a, *", "*,a", "a b", "\"a\""])
    func everything(_ vary: String) throws {
      let head = try stored(["Cache-Control": "max-age=60", "Vary": vary, "ETag": "\"a\""])
      #expect(lookup([head]).reason == .varies)
      let any = lookup([head], request(policy: .returnCacheDataDontLoad))
      #expect(any == .unavailable(.varies))
    }

    @Test(
      "2, 4.1: Authorization chooses a response that is not said to be for all",
      arguments: [
        ("max-age=60", "alice", "alice", true), ("max-age=60", "alice", "bob", false),
        ("max-age=60", "alice", nil, false),
        ("max-age=60", nil, "bob", false), ("max-age=60", nil, nil, true), ("max-age=60, public", "alice", "bob", true),
        ("max-age=60, s-maxage=1", nil, "bob", true), ("max-age=60, private", "alice", "bob", false),
        ("max-age=60, private, public", "alice", "bob", false),
      ] as [(String, String?, String?, Bool)])
    func authorization(_ directives: String, _ first: String?, _ second: String?, _ isSame: Bool) throws {
      func asked(_ user: String?) -> CacheRequest { request(user.map { ["Authorization": "Bearer \($0)"] } ?? [:]) }
      let head = try stored(["Cache-Control": directives], to: asked(first))
      #expect(lookup([head], asked(second)) == (isSame ? .answer(0, .fresh) : .miss(.varies)))
      let tagged = try stored(["Cache-Control": directives, "ETag": "\"a\""], to: asked(first))
      #expect(lookup([tagged], asked(second)).conditions?.ifNoneMatch == (isSame ? nil : "\"a\""))
    }

    @Test("4.1: a stored response without the values of its own Vary matches nothing") func lostValues() throws {
      var head = try stored(["Cache-Control": "max-age=60", "Vary": "A"])
      head.selectingFields = []
      #expect(lookup([head]) == .miss(.varies))
    }

    @Test("4: the most recent of those that match, by Date") func mostRecent() throws {
      let old = try stored(["Cache-Control": "max-age=999999", "Date": dayBefore])
      let new = try stored(["Cache-Control": "max-age=60", "Date": dateField])
      #expect(lookup([old, new]) == .answer(1, .fresh))
      #expect(lookup([new, old]) == .answer(0, .fresh))
      // The older one was replaced, fresh or not.
      #expect(lookup([new, old], after: 61).reason == .stale)
    }

    @Test("4.1: the most recent with Vary goes before one that lacks it") func missingVary() throws {
      let bare = try stored(["Cache-Control": "max-age=999999", "Date": dateField])
      let varied = try variant(
        ["Cache-Control": "max-age=999999", "Date": dayBefore, "Vary": "Accept-Language"], of: "de")
      #expect(lookup([bare, varied], request(["Accept-Language": "de"])) == .answer(1, .fresh))
      #expect(lookup([bare, varied], request(["Accept-Language": "en"])) == .answer(0, .fresh))
    }

    @Test("4.1, 4.3.1: where none matches, the source is asked about all that have an entity tag") func variants()
      throws
    {
      let german = try variant(["Vary": "Accept-Language", "ETag": "\"de\"", "Last-Modified": dayBefore], of: "de")
      let english = try variant(["Vary": "Accept-Language", "ETag": "W/\"en\"", "Date": dayBefore], of: "en")
      let malformed = try variant(["Vary": "Accept-Language", "ETag": "x", "Last-Modified": dayBefore], of: "fr")
      let asked = request(["Accept-Language": "it"])
      let result = lookup([english, malformed, german], asked)
      #expect(
        result == .validate([2, 0], ConditionalFields(anyOf: ["\"de\"", "W/\"en\""]), staleIfError: nil, .varies))
      #expect(result.conditions?.fields.map(\.value) == ["\"de\", W/\"en\""])
      #expect(lookup([malformed], asked) == .miss(.varies))
      let many = Array(repeating: german, count: 100)
      #expect(lookup(many, asked).conditions?.ifNoneMatch == "\"de\"")
    }

    @Test(
      "4.3.2: a request with conditions of its own goes by the cache",
      arguments: [
        "If-None-Match", "if-modified-since", "If-Match", "If-Unmodified-Since",
      ])
    func ownConditions(_ name: String) throws {
      let head = try stored(["Cache-Control": "max-age=60", "ETag": "\"a\""])
      #expect(lookup([head], request([name: "\"a\""])) == .miss(.ownConditions))
      let asked = request([name: "\"a\""], policy: .returnCacheDataDontLoad)
      #expect(lookup([head], asked) == .unavailable(.ownConditions))
    }

    @Test("5.2.2.5, 5.2.2.7: what may no longer be stored answers nothing") func lostRights() throws {
      var head = try stored(["Cache-Control": "max-age=60"])
      head.fields["Cache-Control"] = "max-age=60, no-store"
      #expect(lookup([head], request(policy: .returnCacheDataElseLoad)) == .miss(.notAllowed))
      head.fields["Cache-Control"] = "max-age=60, private"
      #expect(lookup([head], in: .shared) == .miss(.notAllowed))
      #expect(lookup([head]) == .answer(0, .fresh))
    }
  }
}
