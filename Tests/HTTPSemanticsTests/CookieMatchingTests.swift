import Testing

@testable import URLLoadingHTTPSemantics

@Suite struct CookieMatchingTests {
  @Test(arguments: [
    ("example.org", "example.org", true), ("www.example.org", "example.org", true),
    ("a.b.example.org", "example.org", true),
    ("badexample.org", "example.org", false), ("example.org", "www.example.org", false), ("1.2.3.4", "3.4", false),
    ("1.2.3.4", "1.2.3.4", true), ("::1", "1", false), ("1.2.3.a4", "a4", true), ("x.org", "", false),
  ])
  func domains(host: String, domain: String, expected: Bool) {
    #expect(CookieMatching.domainMatches(host: host, domain: domain) == expected)
  }

  @Test(arguments: [
    ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true), ("/a/b", "/a", true),
    ("/ab", "/a", false),
    ("/a", "/a/", false), ("/a/b", "/a/", true), ("/A", "/a", false), ("/", "/a", false),
  ])
  func paths(request: String, cookie: String, expected: Bool) {
    #expect(CookieMatching.pathMatches(requestPath: request, cookiePath: cookie) == expected)
  }

  @Test(arguments: [
    ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/c", "/a/b"), ("", "/"), ("a", "/"), ("//", "/"),
  ])
  func defaultPaths(request: String, expected: String) {
    #expect(CookieMatching.defaultPath(requestPath: request) == expected)
  }
}
