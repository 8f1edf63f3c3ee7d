import Foundation
import HTTPTypes
import URLLoading
internal import URLLoadingBase

/// What a request asks for: as a method and a URL, or as pseudo-header fields (RFC 9113, section 8.3.1).
struct RequestTarget {
  /// The method that goes with `url`.
  let method: HTTPRequest.Method
  let url: URL

  /// The URL that pseudo-header fields name.
  /// - Throws: `URLError.badURL` that says which field names none.
  init(of request: HTTPRequest) throws(URLError) {
    var method = request.method
    guard var scheme = request.scheme, Self.isScheme(scheme) else {
      throw Self.error("its :scheme is missing or none (RFC 3986, section 3.1)")
    }
    if method == .connect {
      // RFC 8441: a WebSocket over HTTP/2. With ws and wss URLs that is a GET.
      guard request.extendedConnectProtocol?.lowercased() == "websocket",
        let webSocket = WebSocketScheme(of: scheme)
      else { throw Self.error("a CONNECT has a URL where its :protocol is websocket and its :scheme http or https") }
      method = .get
      scheme = webSocket.legacy
    }
    guard let authority = request.authority, Authority.isValid(authority, for: scheme) else {
      throw Self.error("its :authority is missing or none (RFC 3986, section 3.2)")
    }
    guard let path = request.pseudoHeaderFields.path?.withUnsafeBytesOfValue({ Self.urlText(ofPath: $0) }) else {
      throw Self.error("its :path has to begin with a slash, and has no fragment")
    }
    guard let url = URL(string: "\(scheme)://\(authority)\(path)") else {
      throw Self.error("its :authority and :path make no URL")
    }
    self.method = method
    self.url = url
  }

  private static func error(_ reason: String) -> URLError {
    URLError(.badURL, message: "The HTTPRequest names no URL: \(reason).", url: nil)
  }

  private static func isScheme(_ text: String) -> Bool {
    guard let first = text.utf8.first, first.isLetter else { return false }
    return text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
  }

  /// The path and query of a URL. What a URL may not have is percent-encoded, byte for byte; nil for what is no path.
  private static func urlText(ofPath path: UnsafeBufferPointer<UInt8>) -> String? {
    guard path.isEmpty || path.first == UInt8(ascii: "/"), !path.contains(UInt8(ascii: "#")) else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(path.count)
    for (index, byte) in path.enumerated() {
      let isEscape = PercentEncoding.escapedByte(in: path, at: index) != nil
      if isEscape || byte.isAllowedInPath {
        text.append(byte)
      } else {
        PercentEncoding.appendEscape(of: byte, to: &text)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension RequestTarget {
  /// The pseudo-header fields that stand for a method and a URL; nil where the URL has no authority, as `data:,text`.
  static func request(method: HTTPRequest.Method, url: URL) -> HTTPRequest? {
    let text = url.absoluteString
    guard let scheme = url.scheme, text.dropFirst(scheme.count).hasPrefix("://") else { return nil }
    let rest = text.dropFirst(scheme.count + 3)
    let hierarchy = rest.prefix { $0 != "#" }
    let authorityEnd = hierarchy.firstIndex { $0 == "/" || $0 == "?" } ?? hierarchy.endIndex
    let authority = Authority.field(for: hierarchy[..<authorityEnd], scheme: scheme)
    let target = hierarchy[authorityEnd...]
    let path = target.hasPrefix("/") ? String(target) : "/\(target)"
    guard method == .get, let webSocket = WebSocketScheme(ofLegacy: scheme) else {
      return HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    }
    var request = HTTPRequest(method: .connect, scheme: webSocket.http, authority: authority, path: path)
    request.extendedConnectProtocol = "websocket"
    return request
  }
}

extension UInt8 {
  /// Whether it is an ASCII letter.
  var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  /// Whether it is an ASCII digit.
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// RFC 3986, sections 3.3 and 3.4: `pchar` without escapes, the slash, and the question mark.
  fileprivate var isAllowedInPath: Bool {
    isLetter || isDigit || "-._~!$&'()*+,;=:@/?".utf8.contains(self)
  }
}
