import Foundation

extension Base64Decoder {
  /// Decodes a whole input.
  ///
  /// - Parameters:
  ///   - input: Base64 text as ASCII.
  ///   - percentDecoding: whether escapes of RFC 3986 section 2.1 are decoded on the way.
  /// - Returns: the bytes, or nil when the input is not Base64 by the WHATWG Infra Standard.
  static func decode(_ input: UnsafeRawBufferPointer, percentDecoding: Bool = false) -> Data? {
    let capacity = outputCapacity(forInput: input.count)
    // Memory that is not cleared first: the decoder writes every byte that is kept.
    guard let output = malloc(capacity) else { return nil }
    var decoder = Base64Decoder(percentDecoding: percentDecoding)
    guard let body = decoder.decode(input, into: output), let rest = decoder.finish(into: output + body) else {
      free(output)
      return nil
    }
    let count = body + rest
    // Escapes can shrink the output to a fraction of the room that was taken for it.
    guard count >= capacity / 4 * 3 else {
      defer { free(output) }
      return Data(bytes: output, count: count)
    }
    return Data(bytesNoCopy: output, count: count, deallocator: .free)
  }

  /// Whether every byte of `input` is in the alphabet: no padding, whitespace or escape.
  static func isPlain(_ input: UnsafeRawBufferPointer) -> Bool {
    Base64Tables.shared.withUnsafeBufferPointer { tables in
      guard let table = tables.baseAddress, let start = input.baseAddress else { return true }
      var from = start
      let end = start + input.count
      while end - from >= 8 {
        let word = from.loadUnaligned(as: UInt64.self)
        var flags = table[Int(word & 0xFF)] | table[Int(word >> 8 & 0xFF)]
        flags |= table[Int(word >> 16 & 0xFF)] | table[Int(word >> 24 & 0xFF)]
        flags |= table[Int(word >> 32 & 0xFF)] | table[Int(word >> 40 & 0xFF)]
        flags |= table[Int(word >> 48 & 0xFF)] | table[Int(word >> 56)]
        if flags & Base64Tables.invalid != 0 { return false }
        from += 8
      }
      while from < end {
        if table[Int(from.load(as: UInt8.self))] & Base64Tables.invalid != 0 { return false }
        from += 1
      }
      return true
    }
  }
}
