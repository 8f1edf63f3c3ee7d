import URLLoadingCOpenSSL

enum Digest {
  /// The 20 bytes of HMAC-SHA1; nil where OpenSSL's configuration refuses it.
  static func hmacSHA1(key: [UInt8], _ message: [UInt8]) -> [UInt8]? {
    var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard let keyCount = Int32(exactly: key.count),
      HMAC(EVP_sha1(), key, keyCount, message, message.count, &result, &count) != nil
    else { return nil }
    return Array(result.prefix(Int(count)))
  }
}
