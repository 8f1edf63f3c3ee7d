/// The values of a session's `connectionProxyDictionary`, by the names of their keys. Empty texts count as absent.
struct ProxyDictionary {
  private var values: [String: Any] = [:]

  init(_ dictionary: [AnyHashable: Any]) {
    for (key, value) in dictionary { values[String(describing: key.base)] = value }
  }

  func number(_ key: String) -> Int? {
    (values[key] as? NSNumber)?.intValue ?? (values[key] as? String).flatMap { Int($0) }
  }

  func text(_ keys: String...) -> String? {
    for key in keys {
      switch values[key] {
      case let text as String where !text.isEmpty: return text
      case let url as URL: return url.absoluteString
      default: continue
      }
    }
    return nil
  }

  func texts(_ key: String) -> [String] { values[key] as? [String] ?? [] }
}
