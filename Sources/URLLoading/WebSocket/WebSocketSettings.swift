/// What WebSocket tasks of a session do beyond Apple's properties: `configuration.webSocket.compressesMessages = false`.
public struct WebSocketSettings: URLProtocolSettings {
  /// Whether the compression of messages (permessage-deflate, RFC 7692) is offered to servers; true unless set.
  ///
  /// A message that holds both a secret and what somebody else has chosen should not be compressed: its length tells about the secret
  /// (section 8). A connection that uses it takes some 300 KB more.
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
