/// The two spellings of a WebSocket's scheme: that of its URL (RFC 6455), and that of an extended CONNECT (RFC 8441).
struct WebSocketScheme {
  /// `ws` or `wss`.
  let legacy: String
  /// `http` or `https`.
  let http: String

  private static let all = [
    WebSocketScheme(legacy: "ws", http: "http"), WebSocketScheme(legacy: "wss", http: "https"),
  ]

  private init(legacy: String, http: String) {
    self.legacy = legacy
    self.http = http
  }

  /// By either spelling, in any case.
  init?(of scheme: String) {
    let scheme = scheme.lowercased()
    guard let found = Self.all.first(where: { $0.http == scheme || $0.legacy == scheme }) else { return nil }
    self = found
  }

  /// By a URL's spelling, in any case.
  init?(ofLegacy scheme: String) {
    let scheme = scheme.lowercased()
    guard let found = Self.all.first(where: { $0.legacy == scheme }) else { return nil }
    self = found
  }
}
