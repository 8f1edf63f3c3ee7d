internal import URLLoadingX509
internal import URLLoadingHTTPSemantics

/// The opening handshake of a client (RFC 6455, section 4.1): what is asked, and whether an answer agrees.
struct WebSocketHandshake {
  /// What a server answered in place of an agreement.
  struct Refusal: Error {
    let words: String
  }

  /// The sub-protocols that are offered.
  private(set) var protocols: [String]
  private let offersCompression: Bool
  private var key = ""

  /// What both sides have agreed on.
  struct Agreement: Equatable {
    /// The sub-protocol that the server chose; nil for none.
    var subprotocol: String?
    /// nil for none.
    var compression: WebSocketCompression?
  }

  init(protocols: [String], offersCompression: Bool) {
    self.protocols = protocols
    self.offersCompression = offersCompression
  }

  /// What a handshake is made by.
  private static let schemes = ["ws": "http", "wss": "https", "ws+unix": "http+unix", "wss+unix": "https+unix"]

  /// Makes a request one for a handshake, with a key of its own. `ws` and `wss` become what the handshake is made by: `http` and `https`.
  mutating func prepare(_ request: inout URLRequest) {
    let field = WebSocketSubprotocols.field
    if protocols.isEmpty, let offered = request.value(forHTTPHeaderField: field) {
      protocols = WebSocketSubprotocols.members(of: offered)
    } else if !protocols.isEmpty {
      request.setValue(protocols.joined(separator: ", "), forHTTPHeaderField: field)
    }
    if let text = request.url?.absoluteString, let scheme = request.url?.scheme,
      let spoken = Self.schemes[scheme.lowercased()]
    {
      request.url = URL(string: spoken + text.dropFirst(scheme.count))
    }
    var generator = SystemRandomNumberGenerator()
    key = Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }).base64EncodedString()
    request.httpMethod = "GET"
    request.setValue("websocket", forHTTPHeaderField: "Upgrade")
    request.setValue("Upgrade", forHTTPHeaderField: "Connection")
    request.setValue(key, forHTTPHeaderField: "Sec-WebSocket-Key")
    request.setValue("13", forHTTPHeaderField: "Sec-WebSocket-Version")
    // Others than those that are known here cannot be used.
    request.setValue(offersCompression ? WebSocketCompression.offer : nil, forHTTPHeaderField: Self.extensions)
  }

  /// What the server agrees to.
  /// - Throws: why the response is no agreement.
  func agreement(by response: HTTPURLResponse) throws(Refusal) -> Agreement {
    guard response.statusCode == 101 else {
      throw Refusal(words: "the server answered \(response.statusCode) in place of 101")
    }
    guard hasToken("websocket", in: response.value(forHTTPHeaderField: "Upgrade")) else {
      throw Refusal(words: "the answer has no Upgrade: websocket")
    }
    guard hasToken("upgrade", in: response.value(forHTTPHeaderField: "Connection")) else {
      throw Refusal(words: "the answer has no Connection: Upgrade")
    }
    guard response.agreedValue(of: "Sec-WebSocket-Accept") == Self.accept(key) else {
      throw Refusal(
        words: "the answer's Sec-WebSocket-Accept does not fit the request's key: it was not made for this request")
    }
    var agreement = Agreement()
    if let extensions = response.value(forHTTPHeaderField: Self.extensions), !extensions.isEmpty {
      guard offersCompression else {
        throw Refusal(words: "the server uses an extension that was not offered: \(extensions.prefix(100))")
      }
      agreement.compression = try WebSocketCompression(agreedBy: extensions)
    }
    let answer = response.fields.single(WebSocketSubprotocols.field)
    guard let chosen = answer.first else { return agreement }
    guard !answer.isConflict else { throw Refusal(words: "the server chose several sub-protocols") }
    guard protocols.contains(chosen) else {
      throw Refusal(words: "the server chose the sub-protocol \(chosen.prefix(100)), which was not offered")
    }
    agreement.subprotocol = chosen
    return agreement
  }

  private static let extensions = "Sec-WebSocket-Extensions"

  /// What proves that a server has read the key (section 4.2.2).
  static func accept(_ key: String) -> String {
    Digest.sha1(Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)).base64EncodedString()
  }

  private func hasToken(_ token: String, in field: String?) -> Bool {
    field?.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces).lowercased() == token } == true
  }
}
