import Foundation

/// The parts of a directory record that its extra fields change or add to.
struct ZipRecordExtra {
  var size: Int64
  var compressedSize: Int64
  var localHeader: Int64
  var modificationDate: Date?
  /// Where the data of the Unicode path field is.
  var unicodePath: Range<Int>?
  /// Version 2 of WinZip's AES has an authentication code instead of a checksum.
  var hasNoChecksum = false

  init(
    _ bytes: UnsafeRawBufferPointer, record: Int, extra: Range<Int>, number: UInt64
  ) throws(ArchiveError) {
    var size = UInt64(bytes.uint32(at: record + 24))
    var compressedSize = UInt64(bytes.uint32(at: record + 20))
    var localHeader = UInt64(bytes.uint32(at: record + 42))
    var disk = UInt32(bytes.uint16(at: record + 34))
    var dates: (extended: Date?, ntfs: Date?, unix: Date?)
    for (identifier, data) in ZipExtraFields(bytes, in: extra) {
      switch identifier {
      case ZipExtraFields.Identifier.zip64:
        var rest = data
        // In this order, and only those whose own field is all ones (APPNOTE 4.5.3).
        func replace(_ value: inout UInt64) throws(ArchiveError) {
          guard value == 0xFFFF_FFFF else { return }
          guard rest.count >= 8 else {
            throw .damaged("the zip64 field in record \(number) of its directory lacks a number that it should have")
          }
          value = bytes.uint64(at: rest.lowerBound)
          rest = rest.dropFirst(8)
        }
        try replace(&size)
        try replace(&compressedSize)
        try replace(&localHeader)
        if disk == 0xFFFF, rest.count >= 4 { disk = bytes.uint32(at: rest.lowerBound) }
      case ZipExtraFields.Identifier.extendedTimestamp:
        dates.extended = ZipTime.date(extendedTimestamp: bytes, in: data)
      case ZipExtraFields.Identifier.ntfs: dates.ntfs = ZipTime.date(ntfs: bytes, in: data)
      case ZipExtraFields.Identifier.unix: dates.unix = ZipTime.date(unix: bytes, in: data)
      case ZipExtraFields.Identifier.unicodePath: unicodePath = data
      case ZipExtraFields.Identifier.aes: hasNoChecksum = data.count >= 7 && bytes.uint16(at: data.lowerBound) == 2
      default: break
      }
    }
    guard disk == 0 || disk == 0xFFFF else {
      throw .splitZip
    }
    guard size <= UInt64(Int64.max), compressedSize <= UInt64(Int64.max), localHeader <= UInt64(Int64.max) else {
      throw .damaged("record \(number) of its directory has a size or position that no file can have")
    }
    self.size = Int64(size)
    self.compressedSize = Int64(compressedSize)
    self.localHeader = Int64(localHeader)
    modificationDate = dates.extended ?? dates.ntfs ?? dates.unix
  }
}
