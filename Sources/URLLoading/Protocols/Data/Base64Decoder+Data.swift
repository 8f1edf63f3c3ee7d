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

  /// Decodes text that is known to be plain, without padding and of a length that is Base64's.
  ///
  /// - Parameter output: room for `outputCapacity(forInput:)` bytes.
  /// - Returns: the number of bytes written; nil where the text is not what it should be.
  static func decode(plain input: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer) -> Int? {
    let steps = input.count / Base64Vector.characters
    let (head, body) = (steps * Base64Vector.characters, steps * Base64Vector.bytes)
    Base64Vector.decode(plain: UnsafeRawBufferPointer(rebasing: input[..<head]), into: output)
    var decoder = Base64Decoder()
    guard let tail = decoder.decode(UnsafeRawBufferPointer(rebasing: input[head...]), into: output + body),
      let rest = decoder.finish(into: output + body + tail)
    else { return nil }
    return body + tail + rest
  }

  /// Whether every byte of `input` is in the alphabet: no padding, whitespace or escape.
  static func isPlain(_ input: UnsafeRawBufferPointer) -> Bool {
    let rest = input[Base64Vector.plainPrefix(of: input)...]
    return rest.count < Base64Vector.characters && isPlainByTables(UnsafeRawBufferPointer(rebasing: rest))
  }

  private static func isPlainByTables(_ input: UnsafeRawBufferPointer) -> Bool {
    Base64Tables.shared.withUnsafeBufferPointer { tables in
      guard let table = tables.baseAddress, var from = input.baseAddress else { return true }
      let end = from + input.count
      while from < end {
        if table[Int(from.load(as: UInt8.self))] & Base64Tables.invalid != 0 { return false }
        from += 1
      }
      return true
    }
  }
}
