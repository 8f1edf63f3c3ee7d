import Foundation

/// Where the servers and files of the articles are, by the environment that the test gives.
enum Place {
  /// `https://example.org` of the articles.
  static let web = value("WEB")
  /// `https://internal.example.org`, with a certificate of an authority of its own.
  static let secure = value("SECURE")
  static let ftp = value("FTP")
  /// `sftp://me@example.org/~`.
  static let ssh = value("SSH")
  /// `davs://example.org`: a server without TLS.
  static let webDAV = value("WEBDAV")
  /// The fingerprint of that server's key.
  static let fingerprint = value("FINGERPRINT")
  static let webSocket = value("WEBSOCKET")
  static let redis = value("REDIS")
  static let mailHost = value("MAIL_HOST")
  static let mailPort = Int(value("MAIL_PORT")) ?? 0
  static let proxyHost = value("PROXY_HOST")
  static let proxyPort = Int(value("PROXY_PORT")) ?? 0
  /// `/srv` of the articles.
  static let folder = value("FOLDER")

  private static func value(_ name: String) -> String { ProcessInfo.processInfo.environment[name] ?? "" }
}
