internal import URLLoadingBase

extension URL {
  /// A URL of a server at a Unix socket: `http+unix://%2Frun%2Fdocker.sock/containers/json`.
  ///
  /// ```swift
  /// let url = URL(unixSocket: "/run/docker.sock", target: "/containers/json?all=1")
  /// ```
  ///
  /// - Parameters:
  ///   - path: the path of the socket, as it is in the file system.
  ///   - target: what the server is asked for, percent-encoded, and with its query: it begins with a slash.
  ///   - scheme: what is spoken there: `http`, `https`, `ws` or `wss`.
  /// - Returns: nil where `path` is empty, or `target` has what no URL may have.
  public init?(unixSocket path: String, target: String = "/", scheme: String = "http") {
    guard !path.isEmpty, target.hasPrefix("/") else { return nil }
    var host: [UInt8] = []
    for byte in path.utf8 {
      if byte.isUnreserved { host.append(byte) } else { PercentEncoding.appendEscape(of: byte, to: &host) }
    }
    self.init(string: "\(scheme)+unix://\(String(decoding: host, as: UTF8.self))\(target)")
  }
}

extension UInt8 {
  /// RFC 3986, section 2.3.
  fileprivate var isUnreserved: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
