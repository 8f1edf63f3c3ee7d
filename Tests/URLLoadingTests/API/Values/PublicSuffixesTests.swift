import Testing

@testable import URLLoading

@Suite struct PublicSuffixesTests {
  @Test(arguments: [
    ("www.example.co.uk", "example.co.uk"), ("example.co.uk", "example.co.uk"), ("co.uk", "co.uk"),
    ("localhost", "localhost"),
    ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("a.user.github.io", "user.github.io"),
    ("a.b.unknown-tld", "b.unknown-tld"),
    ("", ""),
  ])
  func sites(host: String, expected: String) {
    #expect(PublicSuffixes.site(of: host) == expected)
  }

  @Test func publicSuffixes() {
    #expect(
      PublicSuffixes.isPublicSuffix("com") && PublicSuffixes.isPublicSuffix("co.uk")
        && PublicSuffixes.isPublicSuffix("localhost"))
    #expect(!PublicSuffixes.isPublicSuffix("example.com") && !PublicSuffixes.isPublicSuffix("example.co.uk"))
  }
}
