internal import URLLoadingCOpenSSL

/// An RSA key from OpenSSH's fields.
enum RSAKeyEncoding {
  /// Reads n, e, d, 1/q mod p, p and q, and computes the two exponents that OpenSSH leaves out of RFC 8017's fields.
  static func privateKey(_ reader: inout SSHFieldReader) -> PrivateKey? {
    guard let modulus = reader.string(), let publicExponent = reader.string(), let exponent = reader.string(),
      let coefficient = reader.string(), let first = reader.string(), let second = reader.string(),
      modulus.count <= 4096, publicExponent.count <= 4096, exponent.count <= 4096, first.count <= 4096,
      second.count <= 4096, let firstExponent = remainder(exponent, first),
      let secondExponent = remainder(exponent, second)
    else { return nil }
    return .der(
      DERWriter.sequence([
        DERWriter.integer([]), DERWriter.integer(modulus), DERWriter.integer(publicExponent),
        DERWriter.integer(exponent), DERWriter.integer(first), DERWriter.integer(second),
        DERWriter.integer(firstExponent), DERWriter.integer(secondExponent), DERWriter.integer(coefficient),
      ]))
  }

  /// `number` modulo `prime` - 1.
  private static func remainder(_ number: ArraySlice<UInt8>, _ prime: ArraySlice<UInt8>) -> [UInt8]? {
    let number = Array(number)
    let prime = Array(prime)
    guard let context = BN_CTX_new(), let dividend = BN_bin2bn(number, Int32(number.count), nil),
      let divisor = BN_bin2bn(prime, Int32(prime.count), nil)
    else { return nil }
    defer {
      BN_clear_free(dividend)
      BN_clear_free(divisor)
      BN_CTX_free(context)
    }
    guard BN_sub_word(divisor, 1) == 1, BN_is_zero(divisor) == 0, BN_div(nil, dividend, dividend, divisor, context) == 1
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int((BN_num_bits(dividend) + 7) / 8))
    BN_bn2bin(dividend, &bytes)
    return bytes
  }
}
