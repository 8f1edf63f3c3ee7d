import Testing
import URLLoading
import URLLoadingTelemetry

/// The names of OpenTelemetry's conventions.
@Suite struct DescriptionTests {
  private func description(_ url: String, _ method: String? = nil) throws -> RequestDescription {
    var request = URLRequest(url: try #require(URL(string: url)))
    request.httpMethod = method
    return RequestDescription(request)
  }

  @Test func servers() throws {
    let plain = try description("http://example.org/a")
    #expect(plain.address == "example.org" && plain.port == 80 && plain.isHTTP && plain.scheme == "http")
    #expect(try description("HTTPS://h/").port == 443)
    #expect(try description("https://h:8443/").port == 8443)
    #expect(try description("wss://h/").isHTTP)
    let file = try description("file:///etc/hosts")
    #expect(file.address == nil && file.port == nil && !file.isHTTP)
    #expect(try description("sftp://h/a").port == 22)
    #expect(RequestDescription(nil).address == nil)
  }

  @Test func methods() throws {
    #expect(try description("http://h/", "PATCH").spanName == "PATCH")
    let other = try description("http://h/", "MKCOL")
    #expect(other.method == "_OTHER" && other.originalMethod == "MKCOL" && other.spanName == "HTTP")
    #expect(try description("http://h/", "get").method == "GET")
    #expect(try description("http://h/").originalMethod == nil)
  }

  private struct OwnError: Error {}

  @Test func errors() {
    #expect(ErrorType.name(of: URLError(.timedOut)) == "timedOut")
    #expect(ErrorType.name(of: URLError(.cannotConnectToHost) as any Error) == "cannotConnectToHost")
    #expect(ErrorType.name(of: NSError(domain: NSURLErrorDomain, code: -1001)) == "timedOut")
    #expect(ErrorType.name(of: NSError(domain: "Other", code: 7)) == "Other 7")
    #expect(ErrorType.name(of: NSError(domain: NSURLErrorDomain, code: -12345)) == "NSURLErrorDomain -12345")
    #expect(ErrorType.name(of: OwnError()).hasSuffix("OwnError"))
    #expect(ErrorType.name(of: 404) == "404" && ErrorType.name(of: 399) == nil && ErrorType.name(of: nil) == nil)
  }
}
