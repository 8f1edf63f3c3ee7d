import Foundation
internal import URLLoadingBase
internal import URLLoadingCOpenSSL

/// Digests, by OpenSSL.
package enum Digest {
  /// SHA-256 (FIPS 180-4): 32 bytes.
  package static func sha256(_ data: Data) -> Data { data.withUnsafeBytes { sha256($0) } }

  /// The same of a text's UTF-8, in hexadecimal digits.
  package static func hexadecimalSHA256(of text: String) -> String {
    text.withBytes { sha256(UnsafeRawBufferPointer($0)) }.hexadecimal
  }

  /// SHA-1 (FIPS 180-4): 20 bytes. For protocols that ask for it, and rely on nothing of it.
  package static func sha1(_ data: Data) -> Data {
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    _ = data.withUnsafeBytes { SHA1($0.bindMemory(to: UInt8.self).baseAddress, $0.count, &digest) }
    return Data(digest)
  }

  private static func sha256(_ bytes: UnsafeRawBufferPointer) -> Data {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    _ = SHA256(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &digest)
    return Data(digest)
  }
}

extension Data {
  /// The bytes in hexadecimal digits, in lower case.
  package var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
