import URLLoading

/// A server and a user. Loads with equal places share connections.
struct ServerPlace: Hashable, Sendable {
  let host: String
  /// Nil for that of the configuration files, else 22.
  let port: Int?
  /// Nil for that of the configuration files, else the name on this machine.
  let user: String?
  /// The URL's password: a load with a wrong one must not get the connection of a load with the right one.
  let password: String?

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
