import Glibc
internal import URLLoadingBase

/// What transfers have in common that may use each other's connections: scheme, host and port, or the proxy that gets the request.
///
/// Spellings of the same host differ: libcurl is then given more than it has connections for, and queues some itself.
struct ConnectionKey {
  /// What begins with the key.
  private let text: String
  private let length: Int

  init(url: String, proxy: ProxyServer?) {
    if let proxy, proxy.kind == .http || proxy.kind == .https, url.utf8.prefix(5).elementsEqual("http:".utf8) {
      text = proxy.url
      length = text.utf8.count
    } else {
      length = url.withBytes(Self.originLength)
      text = url
    }
  }

  /// How many bytes of a URL stand before its path, query and fragment.
  private static func originLength(_ url: UnsafeBufferPointer<UInt8>) -> Int {
    var slashes = 0
    for index in url.indices {
      switch url[index] {
      case UInt8(ascii: "/"):
        slashes += 1
        if slashes == 3 { return index }
      case UInt8(ascii: "?"), UInt8(ascii: "#"): return index
      default: break
      }
    }
    return url.count
  }

  /// A text that only equal keys have.
  var name: String { String(decoding: text.utf8.prefix(length), as: UTF8.self) }

  /// Whether this is the key's text.
  func hasName(_ name: String) -> Bool {
    guard name.utf8.count == length else { return false }
    return text.withBytes { text in
      name.withBytes { name in
        guard let text = text.baseAddress, let name = name.baseAddress else { return true }
        return memcmp(text, name, length) == 0
      }
    }
  }
}
