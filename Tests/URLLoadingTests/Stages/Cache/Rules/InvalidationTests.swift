import Foundation
import Testing
import URLLoadingHTTPSemantics

@testable import URLLoading

extension CachingRules {
  @Suite("RFC 9111, 4.4: invalidation") struct Invalidating {
    private func invalidated(_ method: String, _ status: Int, _ fields: HTTPFields = [:]) -> [String] {
      CacheRules().invalidated(by: response(fields, status: status), to: request(method: method)).map(\.absoluteString)
    }

    @Test(
      "4.4: unsafe and unknown methods that succeed",
      arguments: ["POST", "PUT", "DELETE", "PATCH", "MKCOL", "BREW", "get"])
    func unsafe(_ method: String) {
      for status in [200, 201, 204, 301, 303, 399] {
        #expect(invalidated(method, status) == ["https://example.org/a/b"])
      }
      for status in [100, 199, 400, 404, 500, 503] { #expect(invalidated(method, status) == []) }
    }

    @Test("4.4: safe methods", arguments: ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "QUERY"])
    func safe(_ method: String) {
      #expect(invalidated(method, 200, ["Location": "/x"]) == [])
    }

    @Test(
      "4.4: what Location and Content-Location name, of the same origin only",
      arguments: [
        ("/c", ["https://example.org/c"]), ("c?d", ["https://example.org/a/c?d"]),
        ("https://EXAMPLE.org:443/c", ["https://EXAMPLE.org:443/c"]),
        ("https://example.org/a/b", []), ("http://example.org/c", []), ("https://example.org:444/c", []),
        ("https://example.com/c", []),
        ("//example.com/c", []), ("", []), ("https://", []), ("file:///etc/passwd", []),
      ])
    func locations(_ location: String, _ others: [String]) {
      for name in ["Location", "Content-Location"] {
        #expect(invalidated("POST", 201, [name: location]) == ["https://example.org/a/b"] + others)
      }
      #expect(invalidated("POST", 404, ["Location": location]) == [])
    }

    @Test("RFC 4918, 10.3: what MOVE and COPY lead to, of the same origin only", arguments: ["MOVE", "COPY"])
    func destination(_ method: String) {
      for (url, others) in [
        ("https://example.org/c", ["https://example.org/c"]), ("https://example.com/c", []), ("", []),
      ] {
        let urls = CacheRules().invalidated(
          by: response([:], status: 204), to: request(["Destination": url], method: method))
        #expect(urls.map(\.absoluteString) == ["https://example.org/a/b"] + others)
      }
    }

    @Test(
      "4: a newer answer replaces what answered the same request, stored or not",
      arguments: [
        (200, [:], [0, 1]), (404, [:], [0, 1]), (301, ["Cache-Control": "no-store"], [0, 1]), (500, [:], []),
        (503, [:], []), (304, [:], []),
        (401, [:], []), (416, [:], []), (206, [:], []), (206, ["ETag": "W/\"a\""], []), (206, ["ETag": "\"b\""], [0]),
        (206, ["Last-Modified": dateField], [1]), (206, ["Last-Modified": dayBefore], []),
      ] as [(Int, HTTPFields, [Int])])
    func superseded(_ status: Int, _ fields: HTTPFields, _ expected: [Int]) throws {
      let heads = [
        try stored(["ETag": "\"a\""]), try stored(["Last-Modified": dayBefore]),
        try stored(["Vary": "A"], to: request(["A": "b"])),
      ]
      let new = response(fields, status: status)
      #expect(CacheRules().superseded(by: new, to: request(), among: heads) == expected)
      #expect(CacheRules().superseded(by: new, to: request(method: "HEAD"), among: heads) == [])
    }

    @Test("4.4: both are named") func both() {
      #expect(
        invalidated("PUT", 200, ["Content-Location": "/d", "Location": "/c"])
          == ["https://example.org/a/b", "https://example.org/c", "https://example.org/d"])
    }
  }
}
