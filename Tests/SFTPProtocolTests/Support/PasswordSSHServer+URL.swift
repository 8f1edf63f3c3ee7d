import Foundation
import Testing
import URLLoadingTestServers

extension PasswordSSHServer {
  /// The URL of a file for the server's user, with a password or without.
  func url(file name: String = "f", password: String? = nil) throws -> URL {
    var components = URLComponents()
    components.scheme = "sftp"
    components.host = "127.0.0.1"
    components.port = Int(port)
    components.path = "/\(name)"
    components.user = Self.user
    components.password = password
    return try #require(components.url)
  }
}
