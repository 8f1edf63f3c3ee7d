import Foundation
import Testing

@testable import URLLoading

/// RFC 6797, section 8.3: what becomes of a URL.
@Suite struct HSTSUpgradeTests {
  private static let urls: [(url: String, expected: String?)] = [
    ("http://example.org", "https://example.org"),
    ("http://example.org/", "https://example.org/"),
    ("HTTP://Example.org/A", "https://Example.org/A"),
    // Port 80 becomes 443; others stay.
    ("http://example.org:80/a?b#c", "https://example.org:443/a?b#c"),
    ("http://example.org:080/", "https://example.org:443/"),
    ("http://example.org:8080/a", "https://example.org:8080/a"),
    ("http://example.org:443/", "https://example.org:443/"),
    ("http://example.org:/a", "https://example.org:/a"),
    // What looks like a port elsewhere is not one.
    ("http://user:80@example.org/", "https://user:80@example.org/"),
    ("http://user:80@example.org:80/:80", "https://user:80@example.org:443/:80"),
    ("http://example.org/:80?x=http://a:80/", "https://example.org/:80?x=http://a:80/"),
    ("http://example.org?a:80", "https://example.org?a:80"),
    ("http://example.org#:80", "https://example.org#:80"),
    ("http://[::80]/", "https://[::80]/"),
    // Nothing else is rewritten.
    ("http://example.org/%7e/..//%C3%A4?b=%2F;2", "https://example.org/%7e/..//%C3%A4?b=%2F;2"),
    ("https://example.org/", nil), ("ftp://example.org:80/", nil), ("http:/a", nil), ("httpx://example.org/", nil),
  ]

  @Test(arguments: urls.indices) func section8_3(_ index: Int) throws {
    let (text, expected) = Self.urls[index]
    // What the platform takes for no URL never gets here.
    guard let url = URL(string: text) else { return }
    #expect(HSTSUpgrade.secureURL(for: url)?.absoluteString == expected, "\(text)")
  }

  @Test func onlyKnownHostsAreUpgraded() {
    var request = URLRequest(url: "http://example.org/")
    request.mainDocumentURL = "http://other.test/"
    #expect(HSTSUpgrade.securedRequest(for: request) { _ in false }?.url == nil)
    let secured = HSTSUpgrade.securedRequest(for: request) { $0 == "example.org" }
    #expect(secured?.url == "https://example.org/")
    #expect(secured?.mainDocumentURL == "http://other.test/")
    let both = HSTSUpgrade.securedRequest(for: request) { _ in true }
    #expect(both?.mainDocumentURL == "https://other.test/")
  }

  @Test func theResponseIsThatOfARedirect() {
    let response = HSTSUpgrade.response(from: "http://example.org/", to: "https://example.org/")
    #expect(response.statusCode == 307 && response.url == "http://example.org/")
    #expect(response.value(forHTTPHeaderField: "location") == "https://example.org/")
    #expect(response.value(forHTTPHeaderField: "Non-Authoritative-Reason") == "HSTS")
  }
}
