import Foundation
import Testing

@testable import URLLoadingHTTPSemantics

@Suite struct URLFactsTests {
  private static let texts = [
    "http://example.org", "HTTP://example.org/", "https://example.org:8443/a?b#c", "hTTps://[::1]:80/", "http://[::1]",
    "http://user@example.org", "http://user:pass@example.org:80/@", "http://@example.org", "http://user@",
    "http://user@:80/",
    "http://:80/", "http://", "http:///path", "http://?query", "http://#fragment", "http:", "http:/path", "http:path",
    "http:?//host", "https", "httpx://example.org", "httpsx://example.org", "htt://example.org", "ftp://example.org/",
    "file:///etc/hosts", "file:/etc/hosts", "data:,http://example.org", "relative/path", "//example.org/path",
    "/path:http://x",
    "?http://x", "", "h", "x:", "http://a%2Fb/", "http://ex%41mple.org", "http://example.org@other.example/",
    "http://a:b@c:d@e/", "https://xn--bcher-kva.example/",
  ]

  @Test(arguments: texts) func theyAreWhatTheURLSays(text: String) {
    for base in [nil, URL(string: "http://base.example/folder/"), URL(string: "file:///folder/")] {
      guard let url = URL(string: text, relativeTo: base) else { continue }
      let facts = URLFacts(url)
      let scheme = url.scheme?.lowercased()
      #expect(facts.text == url.absoluteString)
      #expect(facts.isHTTP == (scheme == "http" || scheme == "https"), "\(url)")
      if facts.isHTTP { #expect(facts.hasHost == (url.host(percentEncoded: true)?.isEmpty == false), "\(url)") }
    }
  }

  @Test func noURL() {
    let facts = URLFacts(nil)
    #expect(facts.text.isEmpty && !facts.isHTTP && !facts.hasHost)
  }
}
