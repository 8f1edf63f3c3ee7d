import Foundation
import Testing

@testable import URLLoading

/// The opening handshake (RFC 6455, section 4).
@Suite struct WebSocketHandshakeTests {
  private func prepared(
    _ url: String = "ws://example.com/chat", protocols: [String] = [], offersCompression: Bool = true,
    _ change: (inout URLRequest) -> Void = { _ in }
  ) throws -> (WebSocketHandshake, URLRequest) {
    var handshake = WebSocketHandshake(protocols: protocols, offersCompression: offersCompression)
    var request = URLRequest(url: try #require(URL(string: url)))
    change(&request)
    handshake.prepare(&request)
    return (handshake, request)
  }

  private func response(_ request: URLRequest, _ status: Int = 101, _ fields: [String: String?] = [:]) throws
    -> HTTPURLResponse
  {
    let key = request.value(forHTTPHeaderField: "Sec-WebSocket-Key") ?? ""
    var all: [String: String?] = [
      "Upgrade": "WebSocket", "Connection": "keep-alive, Upgrade",
      "Sec-WebSocket-Accept": WebSocketHandshake.accept(key),
    ]
    all.merge(fields) { $1 }
    let url = try #require(request.url)
    return try #require(
      HTTPURLResponse(
        url: url, statusCode: status, httpVersion: "HTTP/1.1",
        headerFields: all.compactMapValues { $0 }))
  }

  @Test("1.3 the example of the RFC") func accept() {
    #expect(WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test("4.1 what is asked") func request() throws {
    let (_, request) = try prepared("wss://example.com:444/chat?x=1", protocols: ["a", "b"]) {
      $0.httpMethod = "POST"
      $0.setValue("mine", forHTTPHeaderField: "Sec-WebSocket-Extensions")
    }
    #expect(request.url?.absoluteString == "https://example.com:444/chat?x=1")
    #expect(request.httpMethod == "GET")
    #expect(request.value(forHTTPHeaderField: "Upgrade") == "websocket")
    #expect(request.value(forHTTPHeaderField: "Connection") == "Upgrade")
    #expect(request.value(forHTTPHeaderField: "Sec-WebSocket-Version") == "13")
    #expect(request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") == "a, b")
    #expect(request.value(forHTTPHeaderField: "Sec-WebSocket-Extensions") == WebSocketCompression.offer)
    let key = try #require(Data(base64Encoded: request.value(forHTTPHeaderField: "Sec-WebSocket-Key") ?? ""))
    #expect(key.count == 16)
    let (_, other) = try prepared()
    #expect(
      other.value(forHTTPHeaderField: "Sec-WebSocket-Key") != request.value(forHTTPHeaderField: "Sec-WebSocket-Key"))
  }

  @Test func withoutCompression() throws {
    let (handshake, request) = try prepared(offersCompression: false)
    #expect(request.value(forHTTPHeaderField: "Sec-WebSocket-Extensions") == nil)
    let answer = try response(request, 101, ["Sec-WebSocket-Extensions": "permessage-deflate"])
    #expect(throws: WebSocketHandshake.Refusal.self) { try handshake.agreement(by: answer) }
  }

  @Test func agreement() throws {
    let (handshake, request) = try prepared(protocols: ["a", "b"])
    #expect(try handshake.agreement(by: response(request)) == WebSocketHandshake.Agreement())
    let both = try handshake.agreement(
      by: response(request, 101, ["Sec-WebSocket-Protocol": "b", "Sec-WebSocket-Extensions": "permessage-deflate"]))
    #expect(both == WebSocketHandshake.Agreement(subprotocol: "b", compression: WebSocketCompression()))
  }

  /// Sub-protocols may be said by the request, too.
  @Test func protocolsOfTheRequest() throws {
    let (handshake, request) = try prepared { $0.setValue("a,b", forHTTPHeaderField: "Sec-WebSocket-Protocol") }
    let answer = try response(request, 101, ["Sec-WebSocket-Protocol": "b"])
    #expect(try handshake.agreement(by: answer).subprotocol == "b")
  }

  @Test(
    "4.1 what the client has to refuse",
    arguments: [
      (200, [:]), (101, ["Upgrade": nil]), (101, ["Upgrade": "h2c"]), (101, ["Connection": nil]),
      (101, ["Connection": "close"]), (101, ["Sec-WebSocket-Accept": nil]),
      (101, ["Sec-WebSocket-Accept": "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="]), (101, ["Sec-WebSocket-Protocol": "c"]),
      (101, ["Sec-WebSocket-Protocol": "A"]), (101, ["Sec-WebSocket-Extensions": "foo"]),
    ] as [(Int, [String: String?])])
  func refusals(_ status: Int, _ fields: [String: String?]) throws {
    let (handshake, request) = try prepared(protocols: ["a"])
    let answer = try response(request, status, fields)
    #expect(throws: WebSocketHandshake.Refusal.self) { try handshake.agreement(by: answer) }
  }
}
