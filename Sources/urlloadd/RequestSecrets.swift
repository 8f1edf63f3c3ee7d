import Foundation
import URLLoading

/// What a task needs no more when it has ended: credentials do not stay in the queue until its program comes.
enum RequestSecrets {
  private static let names: Set<String> = ["authorization", "proxy-authorization", "cookie", "cookie2"]
  private static let words = ["token", "secret", "password", "api-key", "apikey", "session"]

  /// - Parameter request: a request as a property list.
  /// - Returns: it without the fields whose names say that they are credentials; nil where it has none.
  static func removed(from request: Data) -> Data? {
    guard var request = BackgroundValues.request(request) else { return nil }
    let secret = (request.allHTTPHeaderFields ?? [:]).keys.filter { name in
      let name = name.lowercased()
      return names.contains(name) || words.contains { name.contains($0) }
    }
    guard !secret.isEmpty else { return nil }
    for name in secret { request.setValue(nil, forHTTPHeaderField: name) }
    return BackgroundValues.data(of: request)
  }
}
