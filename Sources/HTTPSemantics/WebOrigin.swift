import Foundation

/// Scheme, host and port of a URL, as RFC 6454 section 4 compares them.
package struct WebOrigin: Equatable, Sendable {
  private let scheme: String?
  private let host: String?
  private let port: Int?

  package init(_ url: URL) {
    scheme = url.scheme?.lowercased()
    host = url.host?.lowercased()
    port = url.port ?? ["http": 80, "https": 443, "ftp": 21][scheme ?? ""]
  }
}
