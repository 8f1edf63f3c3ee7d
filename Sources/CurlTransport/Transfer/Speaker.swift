/// Who says what the head of a response says. What is kept of a response depends on it.
package enum Speaker: Sendable {
  /// A proxy, of itself: until it has opened a tunnel nobody else can be heard (RFC 9110, section 9.3.6), and of what it forwards its
  /// demand for a login is its own (section 15.5.8).
  case proxy
  /// The origin, by itself or by a proxy that forwards what it says. Nothing shows that it is the host: there is no TLS, or its
  /// certificates were accepted and are not trusted.
  case origin
  /// The origin, over TLS with certificates that are trusted for its host.
  case verifiedOrigin
}
