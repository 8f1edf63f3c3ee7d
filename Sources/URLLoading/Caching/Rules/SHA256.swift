internal import URLLoadingCOpenSSL

/// SHA-256 (FIPS 180-4), by OpenSSL.
package enum SHA256 {
  /// The digest in hexadecimal digits.
  package static func hexadecimal(of text: String) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    _ = text.withBytes { URLLoadingCOpenSSL.SHA256($0.baseAddress, $0.count, &digest) }
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
