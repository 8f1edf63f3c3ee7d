internal import URLLoadingCOpenSSL

/// Blowfish's initial state: the binary fraction of pi, 18 + 4 · 256 words of 32 bits (Schneier, "Description of a New Variable-Length
/// Key, 64-Bit Block Cipher", 1993), computed by Machin's formula when the first encrypted key is opened.
enum BlowfishDigits {
  static let wordCount = 18 + 4 * 256

  static let words: [UInt32] = {
    let precision = Int32(wordCount * 32)
    // More than the error of all terms.
    let guardBits: Int32 = 64
    guard let pi = BN_new(), let other = BN_new() else { return [] }
    defer {
      BN_free(pi)
      BN_free(other)
    }
    // pi = 16 arctan(1/5) - 4 arctan(1/239)
    guard arctangent(ofInverse: 5, bits: precision + guardBits, into: pi),
      arctangent(ofInverse: 239, bits: precision + guardBits, into: other),
      BN_lshift(pi, pi, 4) == 1, BN_lshift(other, other, 2) == 1, BN_sub(pi, pi, other) == 1,
      BN_rshift(pi, pi, guardBits) == 1, BN_mask_bits(pi, precision) == 1
    else { return [] }
    var bytes = [UInt8](repeating: 0, count: wordCount * 4)
    guard BN_bn2binpad(pi, &bytes, Int32(bytes.count)) == Int32(bytes.count) else { return [] }
    return BcryptKDF.words(bytes)
  }()

  /// arctan(1/x) = 1/x - 1/(3x³) + 1/(5x⁵) - …, as a whole number of 2^-bits.
  private static func arctangent(ofInverse x: UInt, bits: Int32, into sum: OpaquePointer) -> Bool {
    guard let power = BN_new(), let term = BN_new() else { return false }
    defer {
      BN_free(power)
      BN_free(term)
    }
    guard BN_set_word(power, 1) == 1, BN_lshift(power, power, bits) == 1 else { return false }
    BN_div_word(power, x)
    guard BN_copy(sum, power) != nil else { return false }
    var divisor: UInt = 3
    var isSubtracted = true
    while BN_is_zero(power) == 0 {
      BN_div_word(power, x * x)
      guard BN_copy(term, power) != nil else { return false }
      BN_div_word(term, divisor)
      guard (isSubtracted ? BN_sub(sum, sum, term) : BN_add(sum, sum, term)) == 1 else { return false }
      isSubtracted.toggle()
      divisor += 2
    }
    return true
  }
}
