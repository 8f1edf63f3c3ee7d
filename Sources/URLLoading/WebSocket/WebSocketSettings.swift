/// What WebSocket tasks of a session do beyond Apple's properties: `configuration.webSocket.compressesMessages = false`.
public struct WebSocketSettings: URLProtocolSettings {
  /// Whether the compression of messages (permessage-deflate, RFC 7692) is offered to servers; true unless set.
  ///
  /// Do not compress messages that mix a secret with data that an attacker can choose: their length reveals the secret
  /// (section 8). A connection with compression takes some 300 KB more memory.
  public var compressesMessages: Bool

  /// The settings with their default values.
  public init() {
    compressesMessages = true
  }
}

extension URLSessionConfiguration {
  /// What WebSocket tasks do beyond Apple's properties. Our addition.
  public var webSocket: WebSocketSettings {
    get { self[WebSocketSettings.self] }
    set { self[WebSocketSettings.self] = newValue }
  }
}
