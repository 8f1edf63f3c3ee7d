import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

/// Requests at the edge: an empty body, no URL.
@Suite(.timeLimit(.minutes(4))) struct SmallRequestTests {
  /// RFC 9110, section 8.6: no `Content-Length` where the method anticipates no content, and there is none.
  @Test(arguments: [
    ("GET", nil), ("HEAD", nil), ("DELETE", nil), ("OPTIONS", nil), ("POST", "0"), ("PUT", "0"), ("PATCH", "0"),
  ])
  func anEmptyBodyHasALengthOnlyWhereTheMethodAnticipatesOne(_ method: String, _ length: String?) async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    var request = URLRequest(url: server.url())
    request.httpMethod = method
    request.httpBody = Data()
    let record = await RecordedSession().load(request)
    #expect(record.status == 200, "\(String(describing: record.error))")
    let sent = try #require(server.requests.first)
    #expect(sent.method == method && sent.fields["Content-Length"] == length && !sent.isChunked)
    #expect(sent.fields["Content-Type"] == nil)
  }

  @Test func aGETSendsABodyThatItHas() async throws {
    let server = try ScriptedServer.http { HTTPResponse(body: $0.body) }
    var request = URLRequest(url: server.url())
    request.httpBody = Data("query".utf8)
    let record = await RecordedSession().load(request)
    #expect(record.text == "query" && server.requests.first?.method == "GET")
  }

  @Test func aRequestWithoutAURLIsUnsupported() async {
    var request = URLRequest(url: "http://127.0.0.1/" as URL)
    request.url = nil
    for kind in TaskKind.allCases {
      #expect(await RecordedSession().load(request, by: kind).code == .unsupportedURL, "\(kind)")
    }
  }

  /// Fetch, "normalize a method"; methods are case-sensitive otherwise (RFC 9110, section 9.1).
  @Test(arguments: [
    ("get", "GET"), ("delete", "DELETE"), ("head", "HEAD"), ("options", "OPTIONS"), ("Post", "POST"), ("put", "PUT"),
    ("trace", "trace"), ("connect", "connect"), ("patch", "patch"),
  ])
  func onlyTheMethodsOfFetchAreUpperCased(_ given: String, _ sent: String) {
    var request = URLRequest(url: "http://a/" as URL)
    request.httpMethod = given
    #expect(request.httpMethod == sent)
  }

  /// A stream that cannot be opened, with and without an error of its own.
  private final class Closed: InputStream {
    let failure: (any Error)?
    init(_ failure: (any Error)?) {
      self.failure = failure
      super.init(data: Data())
    }
    override func open() {}
    override var streamStatus: Stream.Status { .error }
    override var streamError: (any Error)? { failure }
    override var hasBytesAvailable: Bool { false }
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { -1 }
  }

  @Test func aBodyStreamThatDoesNotOpenIsExhaustedOrFailsWithItsOwnError() async throws {
    let server = try ScriptedServer.http { _ in HTTPResponse(text: "ok") }
    func outcome(_ stream: InputStream?) async -> URLError? {
      var request = URLRequest(url: server.url())
      request.httpMethod = "POST"
      request.httpBodyStream = stream
      return await RecordedSession().load(request).error as? URLError
    }
    #expect(await outcome(Closed(nil))?.code == .requestBodyStreamExhausted)
    #expect(await outcome(InputStream(fileAtPath: "/nowhere/at/all"))?.code == .requestBodyStreamExhausted)
    let own = await outcome(Closed(POSIXError(.EACCES)))
    #expect(own?.code == .requestBodyStreamExhausted)
    #expect((own?.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code == .EACCES)
    #expect(await outcome(Closed(URLError(.noPermissionsToReadFile)))?.code == .noPermissionsToReadFile)
  }
}
