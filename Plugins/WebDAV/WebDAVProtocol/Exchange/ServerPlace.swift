import URLLoading

/// The server that a URL is on.
struct ServerPlace: Hashable {
  private let isSecure: Bool
  private let host: String
  private let port: Int

  init(of url: URL) {
    isSecure = ["davs", "https"].contains(url.scheme?.lowercased() ?? "")
    host = url.host(percentEncoded: false)?.lowercased() ?? ""
    port = url.port ?? (isSecure ? 443 : 80)
  }
}
