import Foundation
import Testing

@testable import URLLoading

/// URLs of servers at Unix sockets, taken apart.
@Suite struct UnixSocketURLTests {
  private func socket(_ text: String) throws -> UnixSocketURL {
    try UnixSocketURL(try #require(URL(string: text)))
  }

  private func flaw(_ text: String) throws -> UnixSocketURL.Flaw? {
    let url = try #require(URL(string: text))
    do throws(UnixSocketURL.Flaw) {
      _ = try UnixSocketURL(url)
      return nil
    } catch {
      return error
    }
  }

  @Test func pathAndTarget() throws {
    let plain = try socket("http+unix://%2Frun%2Fdocker.sock/containers/json?all=1#part")
    #expect(plain.path == "/run/docker.sock" && plain.requestURL == "http://localhost/containers/json?all=1#part")
    let secure = try socket("HTTPS+UNIX://user:pass@%2Ftmp%2Fa%20b.sock")
    #expect(secure.path == "/tmp/a b.sock" && secure.requestURL == "https://user:pass@localhost")
    // An "@" of the path is encoded; that of a target is none of the user's.
    #expect(try socket("http+unix://%2Fa%40b/x@y").requestURL == "http://localhost/x@y")
    #expect(try socket("http+unix://%2Fa%40b/x@y").path == "/a@b")
    #expect(try socket("http+unix://%2Ffr%C3%BCh?q").path == "/früh")
  }

  @Test func whatIsNone() throws {
    #expect(try flaw("http+unix:///run/docker.sock") == .noPath)
    #expect(try flaw("http+unix:/run/docker.sock") == .noPath)
    #expect(try flaw("http+unix://%2Frun%2Fdocker.sock:80/") == .port)
    #expect(try flaw("http+unix://%2Frun%2Fa") == nil)
  }

  @Test func urlsFromPaths() throws {
    let url = try #require(URL(unixSocket: "/run/a b:c@d%.sock", target: "/x?y=1"))
    #expect(url.absoluteString == "http+unix://%2Frun%2Fa%20b%3Ac%40d%25.sock/x?y=1")
    #expect(try UnixSocketURL(url).path == "/run/a b:c@d%.sock")
    #expect(URL(unixSocket: "/früh", scheme: "wss")?.absoluteString == "wss+unix://%2Ffr%C3%BCh/")
    #expect(URL(unixSocket: "") == nil && URL(unixSocket: "/a", target: "x") == nil)
  }

  @Test func locations() throws {
    var request = URLRequest(url: try #require(URL(string: "http+unix://%2Ftmp%2Fa.sock/x")))
    func location(_ text: String) -> String { UnixSocketURL.location(text, from: request) }
    // The server's name for itself.
    #expect(location("http://localhost/y?z") == "http+unix://%2Ftmp%2Fa.sock/y?z")
    #expect(location("HTTP://LocalHost") == "http+unix://%2Ftmp%2Fa.sock")
    #expect(location("http://localhost//evil.test/") == "http+unix://%2Ftmp%2Fa.sock//evil.test/")
    for other in [
      "http://localhost:80/", "http://localhost.evil.test/", "http://localhost@evil.test/", "https://localhost/", "/y",
      "//localhost/y", "http://example.org/",
    ] {
      #expect(location(other) == other)
    }
    request.setValue("docker", forHTTPHeaderField: "Host")
    #expect(location("http://docker/y") == "http+unix://%2Ftmp%2Fa.sock/y")
    #expect(location("http://localhost/y") == "http://localhost/y")
  }

  @Test func theSameSocket() throws {
    let first = URL(string: "http+unix://%2Ftmp%2Fa.sock/x")
    #expect(UnixSocketURL.isOneSocket(first, URL(string: "https+unix://%2ftmp%2f%61.sock/y")))
    // Two spellings of a letter are two files.
    let (composed, decomposed) = (URL(string: "http+unix://%C3%A9/x"), URL(string: "http+unix://e%CC%81/x"))
    #expect(!UnixSocketURL.isOneSocket(composed, decomposed) && UnixSocketURL.isOneSocket(composed, composed))
    for other in ["http+unix://%2Ftmp%2FA.sock/x", "http+unix:///x", "http://localhost/x", "file:///tmp/a.sock"] {
      #expect(!UnixSocketURL.isOneSocket(first, URL(string: other)), "\(other)")
    }
  }

  @Test func noCookies() throws {
    let url = try #require(URL(string: "http+unix://%2Ftmp%2Fa.sock/x"))
    #expect(CookieOrigin(url) == nil)
    let storage = HTTPCookieStorage()
    let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": "a=b"], for: url)
    storage.setCookies(cookies, for: url, mainDocumentURL: nil)
    #expect(storage.cookies?.isEmpty != false)
    #expect(storage.cookies(for: url)?.isEmpty != false)
  }

  /// The paths of sockets are told apart by case, as hosts are not.
  @Test func keysOfTheCache() throws {
    func key(_ text: String) throws -> String? {
      CacheKey(canonical: URLRequest(url: try #require(URL(string: text))))?.text
    }
    #expect(try key("http+unix://%2Ftmp%2FA.sock/x") != key("http+unix://%2Ftmp%2Fa.sock/x"))
    #expect(try key("HTTP+unix://%2Ftmp%2Fa.sock") == key("http+unix://%2Ftmp%2Fa.sock/"))
  }

  @Test func noBackgroundSessions() {
    let configuration = URLSessionConfiguration.background(withIdentifier: "of a socket")
    #expect(BackgroundSessionDescription.unsendableReason(in: configuration) == nil)
    configuration.network.unixSocketPath = "/run/a.sock"
    #expect(BackgroundSessionDescription.unsendableReason(in: configuration)?.hasSuffix("/run/a.sock") == true)
    #expect(!UnixSocketProtocol.capabilities.contains(.background))
  }

  @Test func noAppTransportSecurity() throws {
    let rules = AppTransportSecurity([:])
    #expect(rules.judgement(of: try #require(URL(string: "http+unix://%2Ftmp%2Fa.sock/x"))) == .notJudged)
  }
}
