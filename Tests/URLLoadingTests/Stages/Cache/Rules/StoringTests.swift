import Foundation
import Testing

@testable import URLLoading
import URLLoadingX509
import URLLoadingHTTPSemantics

extension CachingRules {
  @Suite("RFC 9111, 3: storing") struct Storing {
    @Test(
      "3: the method is understood, and its answers are stored",
      arguments: ["HEAD", "POST", "PUT", "get", "OPTIONS", "X"])
    func otherMethods(_ method: String) {
      #expect(storage(["Cache-Control": "max-age=60"], to: request(method: method)).refusal == .method)
    }

    @Test(
      "3: the status is final, and its answer is not about the request alone",
      arguments: [100, 103, 0, -1, 199, 600, 999, 304, 401, 407, 412, 416, 429, 511])
    func otherStatuses(_ status: Int) {
      #expect(storage(["Cache-Control": "max-age=60"], status: status).refusal == .status)
    }

    @Test(
      "3: heuristically cacheable statuses need no directive",
      arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 451, 501])
    func heuristicStatuses(_ status: Int) {
      #expect(storage([:], status: status).head?.statusCode == status)
    }

    @Test("3: others need one that allows it", arguments: [201, 202, 205, 302, 303, 307, 400, 403, 422, 500, 503, 599])
    func otherwiseMarked(_ status: Int) {
      #expect(storage(["Last-Modified": dayBefore], status: status).refusal == .notCacheable)
      for mark in ["public", "private", "max-age=60", "max-age=x", "private=\"a\""] {
        #expect(storage(["Cache-Control": mark], status: status).head != nil, "\(mark)")
      }
      #expect(storage(["Expires": hourAfter], status: status).head != nil)
      for mark in ["s-maxage=60", "must-revalidate", "no-cache", "immutable", "public=1"] {
        #expect(storage(["Cache-Control": mark], status: status).refusal == .notCacheable, "\(mark)")
      }
      #expect(storage(["Cache-Control": "s-maxage=60"], status: status, in: .shared).head != nil)
      #expect(storage(["Cache-Control": "private=\"a\""], status: status, in: .shared).refusal == .notCacheable)
    }

    @Test(
      "3, 5.2.2.5: no-store in the response",
      arguments: [
        "no-store", "NO-STORE", "max-age=60, no-store", "no-store=x", "public,no-store", "no-store;x",
        "a=\"b,c\",no-store",
      ])
    func noStore(_ directives: String) {
      #expect(storage(["Cache-Control": directives]).refusal == .noStore)
      #expect(storage(["Cache-Control": "max-age=60", "cache-control": directives]).refusal == .noStore)
    }

    @Test("5.2.2.5: what only has no-store in its text") func noNoStore() {
      for directives in ["max-age=60, x=\"no-store\"", "no-storex", "x-no-store"] {
        #expect(storage(["Cache-Control": directives]).refusal == nil, "\(directives)")
      }
    }

    @Test("5.2.1.5: no-store in the request") func requestNoStore() {
      let asked = request(["Cache-Control": "no-store"])
      #expect(storage(["Cache-Control": "max-age=60"], to: asked).refusal == .requestNoStore)
    }

    @Test("5.2.2.3: must-understand overrides no-store for a status that is understood") func mustUnderstand() {
      let fields: HTTPFields = ["Cache-Control": "must-understand, no-store, max-age=60"]
      #expect(storage(fields).head != nil)
      #expect(storage(fields, status: 404).head != nil)
      #expect(storage(fields, status: 599).refusal == .noStore)
      #expect(storage(["Cache-Control": "must-understand, max-age=60"], status: 599).refusal == .noStore)
    }

    @Test("3, 5.2.2.7: private, in a shared cache") func privateInShared() {
      #expect(storage(["Cache-Control": "private, max-age=60"], in: .shared).refusal == .isPrivate)
      #expect(storage(["Cache-Control": "private, public, max-age=60"], in: .shared).refusal == .isPrivate)
      #expect(storage(["Cache-Control": "private=\"\", max-age=60"], in: .shared).refusal == .isPrivate)
      #expect(storage(["Cache-Control": "private, max-age=60"]).head != nil)
    }

    @Test("3.1, 5.2.2.7: fields that private names are not stored by a shared cache")
    func privateFields() {
      let fields: HTTPFields = [
        "Cache-Control": "private=\"X-User, x-other\", max-age=60", "x-user": "1", "X-Other": "2", "X": "3",
      ]
      let shared = storage(fields, in: .shared).head?.fields
      #expect(shared?["X-User"] == nil && shared?["X-Other"] == nil && shared?["X"] == "3")
      #expect(storage(fields).head?.fields["X-User"] == "1")
    }

    @Test("3.1, 5.2.2.4: fields that no-cache names are not stored", arguments: [CacheRules.Kind.private, .shared])
    func noCacheFields(_ kind: CacheRules.Kind) throws {
      let fields: HTTPFields = ["Cache-Control": "no-cache=\"Set-Cookie\", max-age=60", "Set-Cookie": "a=b", "X": "3"]
      let head = try stored(fields, in: kind)
      #expect(head.fields["Set-Cookie"] == nil && head.fields["X"] == "3")
      #expect(lookup([head], in: kind) == .answer(0, .fresh))
    }

    @Test(
      "5.2.2.4: a list of fields that the rules need counts as none", arguments: ["Vary", "x, cache-control", "DATE"])
    func neededFields(_ names: String) throws {
      let head = try stored(["Cache-Control": "no-cache=\"\(names)\", max-age=60", "Vary": "A"])
      #expect(head.fields["Vary"] == "A" && lookup([head]).reason == .noCache)
    }

    @Test("3.1: all other fields are stored, unknown ones too, each as it came") func allFields() {
      let fields: HTTPFields = [
        "X-Unknown": "1", "Set-Cookie": "a=b", "set-cookie": "c=d", "Date": dateField, "Warning": "199 - x", "Age": "5",
        "Transfer-Encoding": "chunked",
      ]
      #expect(storage(fields).head?.fields.fields.map { "\($0)" } == fields.fields.map { "\($0)" })
    }

    @Test("3.1: fields of the connection and of the proxy are not stored") func connectionFields() {
      let fields: HTTPFields = [
        "Connection": "close, X-Hop, Cache-Control", "X-Hop": "1", "Keep-Alive": "1", "Proxy-Connection": "1",
        "TE": "1", "Upgrade": "h2c",
        "Proxy-Authenticate": "Basic", "Proxy-Authentication-Info": "x", "Proxy-Authorization": "y",
        "Date": dateField, "Cache-Control": "max-age=60",
      ]
      #expect(storage(fields).head?.fields == ["Date": dateField, "Cache-Control": "max-age=60"])
    }

    @Test(
      "RFC 9110, 6.6.1: a date is recorded where there is none that can be read",
      arguments: [nil, "", "yesterday", "0"])
    func recordedDate(_ field: String?) {
      let fields: HTTPFields = field.map { ["Date": $0] } ?? [:]
      #expect(storage(fields).head?.fields.values(of: "Date") == [dateField])
    }

    @Test("3.5: answers to requests with credentials, in a shared cache") func authorization() {
      let asked = request(["Authorization": "Basic x"])
      #expect(storage(["Cache-Control": "max-age=60"], to: asked, in: .shared).refusal == .authorization)
      #expect(storage(["Cache-Control": "max-age=60"], to: asked).head != nil)
      for directive in ["public", "must-revalidate", "s-maxage=60"] {
        #expect(storage(["Cache-Control": "\(directive)"], to: asked, in: .shared).head != nil, "\(directive)")
      }
    }

    @Test("7.3: what sets cookies, in a shared cache") func cookies() {
      #expect(storage(["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], in: .shared).refusal == .setCookie)
      #expect(storage(["Cache-Control": "max-age=60", "Set-Cookie": "a=b"]).head?.fields["Set-Cookie"] == "a=b")
    }

    @Test("4.1: the fields that Vary names are stored with their values") func selectingFields() {
      let asked = request(["ACCEPT-Encoding": " gzip , br", "accept-encoding": "zstd", "User-Agent": "x  y "])
      let fields: HTTPFields = ["Vary": "Accept-Encoding, user-agent", "vary": "Cookie,", "Cache-Control": "public"]
      let head = storage(fields, to: asked).head
      #expect(
        head?.selectingFields == [
          SelectingField(name: "accept-encoding", value: "gzip,br,zstd"), SelectingField(name: "cookie", value: nil),
          SelectingField(name: "user-agent", value: "x  y"),
        ])
    }

    @Test("4.1: a secret is stored as a digest") func secrets() throws {
      let head = try stored(["Vary": "Authorization"], to: request(["Authorization": "Basic x"]))
      #expect(
        head.selectingFields == [SelectingField(name: "authorization", value: Digest.hexadecimalSHA256(of: "Basic x"))])
    }

    @Test(
      "FIPS 180-4: digests",
      arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
          "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
      ])
    func digests(_ text: String, _ digest: String) {
      #expect(Digest.hexadecimalSHA256(of: text) == digest)
    }

    @Test("RFC 9112, 6.3: a length beside a transfer coding is not stored, and the coding is not passed on")
    func framing() throws {
      let head = try stored(["Transfer-Encoding": "chunked", "Content-Length": "7"])
      #expect(head.fields["Content-Length"] == nil && head.isFramed)
      #expect(CacheRules().answer(from: head, to: request(), at: date)?.fields["Transfer-Encoding"] == nil)
    }

    @Test("4.1: what varies by everything is stored if its source can be asked") func variesByAll() {
      #expect(storage(["Vary": "*"]).refusal == .varies)
      #expect(storage(["Vary": "*", "ETag": "\"a\""]).head != nil)
      #expect(storage(["Vary": "Cookie", "Cache-Control": "max-age=60"], in: .shared).refusal == .varies)
    }

    @Test("3.3, 15.3.7 of RFC 9110: a part is stored where it is the one that was asked for") func parts() {
      let asked = request(["Range": "bytes=0-9"])
      let fields: HTTPFields = ["Content-Range": "bytes 0-9/100"]
      #expect(storage(fields, status: 206, to: asked).head?.part == ContentRange(fieldValue: "bytes 0-9/100"))
      #expect(storage(fields, status: 206).refusal == .part)
      #expect(storage([:], status: 206, to: asked).refusal == .part)
      #expect(storage(["Content-Range": "lines 0-9/100"], status: 206, to: asked).refusal == .part)
      #expect(storage(fields.with("Content-Encoding", "gzip"), status: 206, to: asked).refusal == .part)
      #expect(storage(fields.with("Content-Encoding", "utf-8"), status: 206, to: asked).head != nil)
      #expect(storage(fields, to: asked).head?.part == nil)
      // A part with the status of the whole is not the whole; where no range was asked for the field means nothing.
      let middle: HTTPFields = ["Content-Range": "bytes 10-19/100", "Cache-Control": "max-age=60"]
      #expect(storage(middle, to: request(["Range": "bytes=10-19"])).refusal == .part)
      #expect(storage(middle).head != nil)
    }

    @Test("A policy that reloads stores what it loads", arguments: (0...5).compactMap(NSURLRequest.CachePolicy.init))
    func policies(_ policy: NSURLRequest.CachePolicy) {
      #expect(storage(["Cache-Control": "max-age=60"], to: request(policy: policy)).head != nil)
    }
  }
}
