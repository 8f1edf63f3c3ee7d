internal import URLLoadingBase
package import URLLoadingX509

/// How TLS connections are made. Certificates are always verified, by libcurl or by ``ConnectionSecurity``.
package struct TLSConfiguration: Sendable, Equatable {
  package enum Version: Int, Sendable, Comparable {
    case v10 = 4
    case v11, v12, v13

    package static func < (first: Version, second: Version) -> Bool { first.rawValue < second.rawValue }
  }

  package var minimumVersion = Version.v12
  /// Nil for the newest that the TLS library has.
  package var maximumVersion: Version?
  /// A file of trusted certificates in PEM form; nil for the system's.
  package var caFile: String?
  /// A folder of trusted certificates, named by hash as `openssl rehash` does.
  package var caDirectory: String?

  /// How long trusted certificates are used without a look whether their files have changed.
  package var longestTrust = Duration.seconds(60)

  /// The system's certificates, or those that SSL_CERT_FILE and SSL_CERT_DIR name.
  package init() {
    caFile = ProcessEnvironment.nonemptyValue(of: "SSL_CERT_FILE")
    caDirectory = ProcessEnvironment.nonemptyValue(of: "SSL_CERT_DIR")
  }

  /// The roots that connections are verified by.
  package var authorities: TrustedAuthorities {
    let file = caFile ?? CurlLibrary.shared.defaultCAFile
    return TrustedAuthorities(
      file: file, directory: caDirectory ?? (file == nil ? CurlLibrary.shared.defaultCADirectory : nil))
  }
}
