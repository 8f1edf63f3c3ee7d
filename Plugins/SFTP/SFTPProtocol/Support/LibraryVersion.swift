internal import URLLoadingCSSH2

extension SFTPProtocol {
  /// The name and version of the library that speaks SSH.
  package static var libraryVersion: String {
    "libssh2/\(libssh2_version(0).map { String(cString: $0) } ?? "unknown")"
  }
}
