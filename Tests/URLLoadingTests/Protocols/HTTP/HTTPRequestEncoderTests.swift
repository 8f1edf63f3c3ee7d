import Foundation
import Testing
import URLLoadingCurlTransport

@testable import URLLoading

@Suite struct HTTPRequestEncoderTests {
  private func encode(
    _ fields: [(String, String)] = [], method: String = "GET", body: URLUploadBody? = nil
  ) throws -> TransferRequest {
    var request = URLRequest(url: try #require(URL(string: "http://example.org/a?b")))
    request.httpMethod = method
    for field in fields { request.addValue(field.1, forHTTPHeaderField: field.0) }
    return HTTPRequestEncoder.transferRequest(for: request, body: body)
  }

  private func values(_ name: String, _ request: TransferRequest) -> [String] {
    request.headers.filter { $0.name.lowercased() == name.lowercased() }.map { $0.value }
  }

  @Test func defaults() throws {
    let request = try encode()
    #expect(request.url == "http://example.org/a?b")
    #expect(request.method == "GET")
    #expect(request.kind == .http)
    #expect(request.decodesContent)
    // The engine adds these two.
    #expect(values("Accept", request).isEmpty && values("User-Agent", request).isEmpty)
    #expect(values("Content-Type", request).isEmpty)
  }

  @Test func ownFieldsWin() throws {
    let request = try encode([("accept", "text/plain"), ("USER-AGENT", "me"), ("X-A", "1")])
    #expect(values("Accept", request) == ["text/plain"])
    #expect(values("User-Agent", request) == ["me"])
    #expect(values("X-A", request) == ["1"])
  }

  @Test func framingIsTheEngines() throws {
    let request = try encode([("Content-Length", "5"), ("transfer-encoding", "chunked"), ("Proxy-Connection", "x")])
    for name in ["Content-Length", "Transfer-Encoding", "Proxy-Connection"] { #expect(values(name, request).isEmpty) }
  }

  @Test func rangesAreOfStoredBytes() throws {
    let request = try encode([("range", "bytes=5-")])
    #expect(request.decodesContent)
    #expect(values("Accept-Encoding", request) == ["identity"])
    let own = try encode([("Range", "bytes=5-"), ("Accept-Encoding", "gzip")])
    #expect(values("Accept-Encoding", own) == ["gzip"])
    #expect(own.decodesContent)
  }

  @Test func contentTypeOfForms() throws {
    let form = "application/x-www-form-urlencoded"
    #expect(values("Content-Type", try encode(method: "POST", body: .data(Data([1])))) == [form])
    #expect(
      values("Content-Type", try encode(method: "POST", body: .stream(InputStream(data: Data()), length: nil))) == [
        form
      ])
    #expect(
      values("Content-Type", try encode(method: "POST", body: .stream(InputStream(data: Data()), length: 9))) == [form])
    #expect(
      values("Content-Type", try encode(method: "POST", body: .file(URL(fileURLWithPath: "/f"), length: 9))) == [form])
    #expect(values("Content-Type", try encode(method: "POST", body: .data(Data()))).isEmpty)
    #expect(
      values("Content-Type", try encode(method: "POST", body: .stream(InputStream(data: Data()), length: 0))).isEmpty)
    #expect(values("Content-Type", try encode(method: "POST")).isEmpty)
    #expect(values("Content-Type", try encode(method: "PUT", body: .data(Data([1])))).isEmpty)
    #expect(
      values("Content-Type", try encode([("content-type", "a/b")], method: "POST", body: .data(Data()))) == ["a/b"])
  }
}
