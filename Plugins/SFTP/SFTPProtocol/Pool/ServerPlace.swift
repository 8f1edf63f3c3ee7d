import URLLoading

/// Whom connections lead to, and as whom: loads that agree in all of it share connections.
struct ServerPlace: Hashable, Sendable {
  let host: String
  /// Nil: what the configuration files say, else 22.
  let port: Int?
  /// Nil: what the configuration files say, else this machine's name for the user.
  let user: String?
  /// A password that the URL gives. Who has it wrong must not get the connection of somebody who has it right.
  let password: String?

  /// Reads the place of a URL.
  init(of url: URL) throws(URLError) {
    guard let host = url.host(percentEncoded: false), !host.isEmpty else {
      throw URLError(.badURL, message: "The SFTP URL has no host: sftp://host/path.", url: url)
    }
    self.host = host.lowercased()
    port = url.port
    user = url.user(percentEncoded: false).flatMap { $0.isEmpty ? nil : $0 }
    password = url.password(percentEncoded: false)
  }
}
