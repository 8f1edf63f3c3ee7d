/// The first four bytes of zip's records, as numbers.
enum ZipSignature {
  /// APPNOTE 4.3.7.
  static let localHeader: UInt32 = 0x0403_4b50
  /// APPNOTE 4.3.11; stands where the directory is encrypted.
  static let extraData: UInt32 = 0x0806_4b50
  /// APPNOTE 4.3.12.
  static let directoryRecord: UInt32 = 0x0201_4b50
  /// APPNOTE 4.3.13.
  static let digitalSignature: UInt32 = 0x0505_4b50
  /// APPNOTE 4.3.14.
  static let zip64EndRecord: UInt32 = 0x0606_4b50
  /// APPNOTE 4.3.15.
  static let zip64Locator: UInt32 = 0x0706_4b50
  /// APPNOTE 4.3.16.
  static let endRecord: UInt32 = 0x0605_4b50
}
