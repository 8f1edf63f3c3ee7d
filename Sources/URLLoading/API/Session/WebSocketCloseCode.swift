extension URLSessionWebSocketTask {
  /// Why a connection was closed: the codes of RFC 6455, section 7.4.1, and every other number.
  ///
  /// It is an open enumeration, as on Apple's systems: `CloseCode(rawValue: 4000)` is a value, and a switch needs `@unknown default`.
  public typealias CloseCode = NSURLSessionWebSocketCloseCode

  /// A message, either way.
  @frozen public enum Message: Sendable {
    /// Bytes.
    case data(Data)
    /// Text, which travels as UTF-8.
    case string(String)
  }
}
