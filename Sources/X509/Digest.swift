import Foundation
internal import URLLoadingCOpenSSL

/// Digests of certificates and keys.
package enum Digest {
  /// SHA-256 (FIPS 180-4): 32 bytes.
  package static func sha256(_ data: Data) -> Data {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    _ = data.withUnsafeBytes { SHA256($0.bindMemory(to: UInt8.self).baseAddress, $0.count, &digest) }
    return Data(digest)
  }
}
