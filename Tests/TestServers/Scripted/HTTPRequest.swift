import Foundation

/// A request that a scripted server received.
package struct HTTPRequest: Sendable {
  /// The method, such as `GET`.
  package var method: String
  /// The request target as sent: a path and query, or a whole URL when sent to a proxy.
  package var target: String
  /// The version as sent, such as `HTTP/1.1`.
  package var version: String
  /// The header fields.
  package var fields: HTTPFields
  /// The head as it came, with its empty line.
  package var raw: Data
  /// The body; empty until it was read.
  package var body = Data()

  /// The target without its query.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// The query's items, percent-decoded; later ones win.
  package var query: [String: String] {
    let items = URLComponents(string: target)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
  }

  /// Whether the body is sent in chunks.
  package var isChunked: Bool {
    fields["Transfer-Encoding"]?.lowercased().contains("chunked") ?? false
  }

  /// Reads a head that ends with an empty line; nil if its first line is no request line.
  package init?(head: Data) {
    let text = String(decoding: head, as: UTF8.self)
    var lines = text.components(separatedBy: "\r\n")[...]
    let words = lines.removeFirst().split(separator: " ").map(String.init)
    guard words.count == 3 else { return nil }
    method = words[0]
    target = words[1]
    version = words[2]
    raw = head
    fields = HTTPFields(
      lines.compactMap { line in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        return (String(line[..<colon]), value)
      })
  }
}
