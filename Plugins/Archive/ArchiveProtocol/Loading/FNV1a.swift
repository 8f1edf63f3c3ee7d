/// The 64-bit FNV-1a hash (draft-eastlake-fnv): the same in every process, unlike `Hasher`. Not for secrets.
struct FNV1a {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    // Separates the parts.
    value = (value ^ 0xff) &* 0x100_0000_01b3
  }
}
