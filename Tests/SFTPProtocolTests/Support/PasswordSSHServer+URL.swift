import Foundation
import Testing
import URLLoadingTestServers

extension PasswordSSHServer {
  /// The URL of the file `f` for the server's user, with a password or without.
  func url(password: String? = nil) throws -> URL {
    var components = URLComponents()
    components.scheme = "sftp"
    components.host = "127.0.0.1"
    components.port = Int(port)
    components.path = "/f"
    components.user = Self.user
    components.password = password
    return try #require(components.url)
  }
}
