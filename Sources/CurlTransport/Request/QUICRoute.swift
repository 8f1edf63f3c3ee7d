internal import URLLoadingBase

/// How a request goes by HTTP/3 (RFC 9114), and by nothing else.
package struct QUICRoute: Sendable, Hashable {
  /// Where its datagrams go, a name or an address. The certificate is that of the URL's host all the same.
  package let host: String
  package let port: UInt16
  /// Whether that is another host than the URL's.
  package let isElsewhere: Bool
  /// How long connecting may take before it is the turn of another way; nil where there is none.
  package let headStart: Duration?

  package init(host: String, port: UInt16, isElsewhere: Bool = false, headStart: Duration?) {
    (self.host, self.port, self.isElsewhere, self.headStart) = (host, port, isElsewhere, headStart)
  }

  /// In the form of CURLOPT_CONNECT_TO, for whatever host and port.
  var connectTo: String { "::\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)" }
}
