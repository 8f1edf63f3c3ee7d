import Foundation
import Testing
import URLLoading

@testable import URLLoadingHTTPTypes

@Suite struct RequestConversionTests {
  private func url(
    _ scheme: String?, _ authority: String?, _ path: String?, method: HTTPRequest.Method = .get
  ) -> String? {
    URLRequest(httpRequest: HTTPRequest(method: method, scheme: scheme, authority: authority, path: path))?.url?
      .absoluteString
  }

  // MARK: To URLRequest

  @Test func methodURLAndFieldsAreTaken() throws {
    let given = HTTPRequest(
      method: .put, scheme: "https", authority: "example.com:8443", path: "/a?b=c", headerFields: [.accept: "text/*"])
    let request = try #require(URLRequest(httpRequest: given))
    #expect(request.url?.absoluteString == "https://example.com:8443/a?b=c")
    #expect(request.httpMethod == "PUT")
    #expect(request.allHTTPHeaderFields == ["Accept": "text/*"])
    #expect(request.httpBody == nil)
  }

  @Test func repeatedFieldsAreJoined() throws {
    let given = HTTPRequest(
      method: .get, scheme: "http", authority: "h", path: "/",
      headerFields: [
        .cookie: "a=b", try .named("X-Test"): "1", .cookie: "c=d", try .named("x-test"): "2", .acceptEncoding: "br",
      ])
    let request = try #require(URLRequest(httpRequest: given))
    #expect(request.allHTTPHeaderFields == ["Cookie": "a=b; c=d", "X-Test": "1, 2", "Accept-Encoding": "br"])
  }

  @Test func valuesAreUTF8OrLatin1() throws {
    let name = try HTTPField.Name.named("X-Test")
    var given = HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/")
    given.headerFields.append(HTTPField(name: name, value: "Grüße"))
    #expect(URLRequest(httpRequest: given)?.value(forHTTPHeaderField: "x-test") == "Grüße")
    given.headerFields = [:]
    given.headerFields.append(HTTPField(name: name, value: [0x47, 0x72, 0xFC, 0xDF, 0x65]))
    #expect(URLRequest(httpRequest: given)?.value(forHTTPHeaderField: "x-test") == "Grüße")
  }

  @Test func anEmptyPathIsTheRoot() {
    #expect(url("http", "h", "") == "http://h")
  }

  @Test(arguments: ["a", "*", "?q", "/a#b", ".evil.example/", "@evil.example/", ":80/"])
  func whatIsNoPathNamesNoURL(_ path: String) {
    #expect(url("http", "h", path) == nil)
  }

  @Test func aPathIsPercentEncodedByteForByte() throws {
    #expect(url("http", "h", "/a b?{ü}") == "http://h/a%20b?%7B%C3%BC%7D")
    #expect(url("http", "h", "/%41%zz%") == "http://h/%41%25zz%25")
    var given = HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/")
    given.pseudoHeaderFields.path = given.pseudoHeaderFields.path.map { HTTPField(name: $0.name, value: [0x2F, 0xFC]) }
    #expect(URLRequest(httpRequest: given)?.url?.absoluteString == "http://h/%FC")
  }

  @Test(arguments: [
    "", "user@h", "user:secret@h", "h/x", "h?x", "h#x", "h\\x", "h x", "h:80:80", "h:x", "h:65536", "h:-1", ":80",
    "[::1", "::1", "[::1]x", "[::1]:x",
  ])
  func whatIsNoAuthorityNamesNoURL(_ authority: String) {
    #expect(url("http", authority, "/") == nil)
    #expect(url("https", authority, "/") == nil)
  }

  @Test(arguments: ["h", "h:80", "h:", "127.0.0.1:8080", "[::1]", "[::1]:8080", "xn--mnchen-3ya.example", "a%20b"])
  func anAuthorityStays(_ authority: String) {
    #expect(url("http", authority, "/x") == "http://\(authority)/x")
  }

  @Test func theHostIsTheAuthoritys() throws {
    let given = HTTPRequest(method: .get, scheme: "http", authority: "[::1]:8080", path: "//evil.example/")
    let request = try #require(URLRequest(httpRequest: given))
    #expect(request.url?.host(percentEncoded: false) == "::1")
    #expect(request.url?.port == 8080)
    #expect(request.url?.path(percentEncoded: true) == "//evil.example/")
  }

  @Test func otherSchemesMayHaveAUserOrNoHost() {
    #expect(url("sftp", "me@h:22", "/~/a") == "sftp://me@h:22/~/a")
    #expect(url("file", "", "/etc/hostname") == "file:///etc/hostname")
  }

  @Test func missingFieldsNameNoURL() {
    #expect(url(nil, "h", "/") == nil)
    #expect(url("http", nil, "/") == nil)
    #expect(url("http", "h", nil) == nil)
    #expect(url("", "h", "/") == nil)
    #expect(url("1http", "h", "/") == nil)
    #expect(url("http://evil.example/", "h", "/") == nil)
    #expect(url(nil, "h:80", nil, method: .connect) == nil)
    #expect(url("https", "h", "*", method: .options) == nil)
  }

  @Test func theErrorSaysWhatIsMissing() async {
    let error = await #expect(throws: URLError.self) {
      try await URLSession.shared.data(for: HTTPRequest(method: .get, scheme: "http", authority: "h x", path: "/"))
    }
    #expect(error?.code == .badURL)
    #expect(error?.localizedDescription.contains(":authority") == true)
  }

  @Test(arguments: [("http", "ws"), ("https", "wss"), ("HTTPS", "wss"), ("wss", "wss")])
  func aWebSocketIsAGet(_ scheme: String, _ legacy: String) throws {
    var given = HTTPRequest(method: .connect, scheme: scheme, authority: "h", path: "/chat")
    given.extendedConnectProtocol = "websocket"
    let request = try #require(URLRequest(httpRequest: given))
    #expect(request.url?.absoluteString == "\(legacy)://h/chat")
    #expect(request.httpMethod == "GET")
  }

  @Test func otherExtendedConnectsNameNoURL() {
    var given = HTTPRequest(method: .connect, scheme: "https", authority: "h", path: "/")
    given.extendedConnectProtocol = "connect-udp"
    #expect(URLRequest(httpRequest: given) == nil)
    given.extendedConnectProtocol = "websocket"
    given.scheme = "ftp"
    #expect(URLRequest(httpRequest: given) == nil)
  }

  // MARK: From URLRequest

  @Test func aURLRequestConverts() throws {
    var request = URLRequest(url: try #require(URL(string: "https://example.com:8443/a%20b?c#d")))
    request.httpMethod = "PATCH"
    request.setValue("text/*", forHTTPHeaderField: "Accept")
    request.setValue("Grüße", forHTTPHeaderField: "X-Test")
    request.setValue("dropped", forHTTPHeaderField: "no name")
    let converted = try #require(request.httpRequest)
    #expect(converted.method == .patch)
    #expect(converted.scheme == "https")
    #expect(converted.authority == "example.com:8443")
    #expect(converted.path == "/a%20b?c")
    #expect(converted.headerFields == [.accept: "text/*", try .named("X-Test"): "Grüße"])
  }

  @Test(arguments: [
    ("http://h", "h", "/"), ("http://h?q", "h", "/?q"), ("http://user:secret@h/", "h", "/"),
    ("http://[::1]:8080/x", "[::1]:8080", "/x"), ("file:///etc/hostname", "", "/etc/hostname"),
    ("sftp://me@h/~/a", "me@h", "/~/a"), ("http://h/a@b", "h", "/a@b"),
  ])
  func aURLsPartsAreTaken(_ url: String, _ authority: String, _ path: String) throws {
    let given = URLRequest(url: try #require(URL(string: url)))
    let request = try #require(given.httpRequest)
    #expect(request.authority == authority)
    #expect(request.path == path)
  }

  @Test(arguments: ["data:,Hi", "mailto:me@example.com", "relative", "/absolute"])
  func aURLWithoutAuthorityHasNoRequest(_ url: String) throws {
    let url = try #require(URL(string: url))
    #expect(URLRequest(url: url).httpRequest == nil)
  }

  @Test func whatIsNoMethodHasNoRequest() throws {
    var request = URLRequest(url: try #require(URL(string: "http://h/")))
    request.httpMethod = "NO METHOD"
    #expect(request.httpRequest == nil)
  }

  @Test func aWebSocketURLIsAConnect() throws {
    let request = URLRequest(url: try #require(URL(string: "wss://h/chat")))
    let converted = try #require(request.httpRequest)
    #expect(converted.method == .connect)
    #expect(converted.scheme == "https")
    #expect(converted.extendedConnectProtocol == "websocket")
    #expect(URLRequest(httpRequest: converted) == request)
  }

  @Test func moreFieldsThanOneMessageHasAreRefused() {
    // One more ends the program in swift-http-types.
    let field = (name: "X-Test", value: "")
    #expect(HTTPFields(Array(repeating: field, count: 65_534))?.count == 65_534)
    #expect(HTTPFields(Array(repeating: field, count: 65_535)) == nil)
  }
}
