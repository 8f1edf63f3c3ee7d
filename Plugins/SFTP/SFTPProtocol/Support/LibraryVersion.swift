internal import URLLoadingCSSH2

/// The installed libssh2. What depends on its version is asked here.
enum LibraryVersion {
  /// Since 1.11 libssh2 chooses the algorithm of an RSA key's signature itself, among those that the server names (RFC 8308, section
  /// 3.1). 1.10 signs by the algorithm that the key blob names.
  static let choosesSignatures = libssh2_version(0x01_0B_00) != nil
}

extension SFTPProtocol {
  /// The name and version of the library that speaks SSH.
  package static var libraryVersion: String {
    "libssh2/\(libssh2_version(0).map { String(cString: $0) } ?? "unknown")"
  }
}
