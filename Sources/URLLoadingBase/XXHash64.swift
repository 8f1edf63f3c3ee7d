/// XXH64 with the seed 0, of bytes that come in pieces (xxHash, doc/xxhash_spec.md, section "XXH64"). It finds damage; it is
/// no protection against forgery.
package struct XXHash64: Sendable {
  private var lanes = Lanes()
  /// What does not fill a stripe yet.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  package init() {}

  /// The hash of bytes that are at hand.
  package static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = XXHash64()
    hash.update(bytes)
    return hash.value
  }

  /// Takes the next bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count &+= UInt64(bytes.count)
    var bytes = bytes[...]
    if !rest.isEmpty {
      let taken = bytes.prefix(Lanes.stripeLength - rest.count)
      rest.append(contentsOf: taken)
      bytes = bytes.dropFirst(taken.count)
      guard rest.count == Lanes.stripeLength else { return }
      let stripe = rest
      rest.removeAll()
      stripe.withUnsafeBytes { lanes.take($0) }
    }
    let whole = bytes.count - bytes.count % Lanes.stripeLength
    lanes.take(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
    rest.append(contentsOf: bytes.dropFirst(whole))
  }

  /// The hash of all bytes so far.
  package var value: UInt64 {
    var hash = (count < UInt64(Lanes.stripeLength) ? Prime.fifth : lanes.merged) &+ count
    rest.withUnsafeBytes { bytes in
      var offset = 0
      while bytes.count - offset >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        hash = (hash ^ Lanes.round(0, word)).rotated(27) &* Prime.first &+ Prime.fourth
        offset += 8
      }
      if bytes.count - offset >= 4 {
        let word = UInt64(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
        hash = (hash ^ word &* Prime.first).rotated(23) &* Prime.second &+ Prime.third
        offset += 4
      }
      for byte in bytes[offset...] { hash = (hash ^ UInt64(byte) &* Prime.fifth).rotated(11) &* Prime.first }
    }
    hash = (hash ^ hash >> 33) &* Prime.second
    hash = (hash ^ hash >> 29) &* Prime.third
    return hash ^ hash >> 32
  }

  private enum Prime {
    static let first: UInt64 = 0x9E37_79B1_85EB_CA87
    static let second: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    static let third: UInt64 = 0x1656_67B1_9E37_79F9
    static let fourth: UInt64 = 0x85EB_CA77_C2B2_AE63
    static let fifth: UInt64 = 0x27D4_EB2F_1656_67C5
  }

  /// Four accumulators that do not wait for one another.
  private struct Lanes: Sendable {
    static let stripeLength = 32

    private var a = Prime.first &+ Prime.second
    private var b = Prime.second
    private var c: UInt64 = 0
    private var d = 0 &- Prime.first

    @inline(__always) static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
      (lane &+ word &* Prime.second).rotated(31) &* Prime.first
    }

    /// Takes a whole number of stripes.
    mutating func take(_ stripes: UnsafeRawBufferPointer) {
      // In registers: the compiler does not know that nobody else sees the properties.
      var (a, b, c, d) = (a, b, c, d)
      var offset = 0
      while offset < stripes.count {
        a = Self.round(a, UInt64(littleEndian: stripes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        b = Self.round(b, UInt64(littleEndian: stripes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)))
        c = Self.round(c, UInt64(littleEndian: stripes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self)))
        d = Self.round(d, UInt64(littleEndian: stripes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self)))
        offset += Self.stripeLength
      }
      (self.a, self.b, self.c, self.d) = (a, b, c, d)
    }

    var merged: UInt64 {
      let sum = a.rotated(1) &+ b.rotated(7) &+ c.rotated(12) &+ d.rotated(18)
      return [a, b, c, d].reduce(sum) { ($0 ^ Self.round(0, $1)) &* Prime.first &+ Prime.fourth }
    }
  }
}

extension UInt64 {
  /// Rotated to the left.
  @inline(__always) fileprivate func rotated(_ count: UInt64) -> UInt64 { self &<< count | self &>> (64 &- count) }
}
