/// Bits of a member's flags (APPNOTE 4.4.4).
enum ZipFlags {
  static let encrypted: UInt16 = 1 << 0
  /// Sizes and checksum are after the data, in a data descriptor.
  static let hasDataDescriptor: UInt16 = 1 << 3
  static let compressedPatch: UInt16 = 1 << 5
  static let strongEncryption: UInt16 = 1 << 6
  /// Values of the local header are hidden.
  static let maskedHeader: UInt16 = 1 << 13
}
