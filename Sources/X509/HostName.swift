import Glibc
internal import URLLoadingCOpenSSL

/// Whether a certificate is for a host (RFC 6125).
package enum HostName {
  /// Whether the text is an address of IPv4 or IPv6, without brackets.
  package static func isAddress(_ host: String) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
  }

  /// A wildcard stands for one whole label. Without any name in the extension the common name counts, as it does for libcurl.
  package static func matches(_ host: String, _ certificate: X509Certificate) -> Bool {
    if isAddress(host) {
      return X509_check_ip_asc(certificate.pointer, host, 0) == 1
        || certificate.commonName == host && !certificate.hasSubjectNames
    }
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    guard !name.isEmpty else { return false }
    let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
    return X509_check_host(certificate.pointer, name, name.utf8.count, flags, nil) == 1
  }
}
