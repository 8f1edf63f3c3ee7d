/// The extra fields of a record, one after the other (APPNOTE 4.5).
///
/// Some tools pad them, so bytes that are no field end the sequence without an error.
struct ZipExtraFields: Sequence, IteratorProtocol {
  enum Identifier {
    /// APPNOTE 4.5.3.
    static let zip64: UInt16 = 0x0001
    /// APPNOTE 4.5.5.
    static let ntfs: UInt16 = 0x000a
    /// Info-ZIP's extended timestamp.
    static let extendedTimestamp: UInt16 = 0x5455
    /// Info-ZIP's older Unix field.
    static let unix: UInt16 = 0x5855
    /// APPNOTE 4.6.9.
    static let unicodePath: UInt16 = 0x7075
    /// WinZip's AES.
    static let aes: UInt16 = 0x9901
  }

  private let bytes: UnsafeRawBufferPointer
  private var position: Int
  private let end: Int

  init(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = Swift.min(range.upperBound, bytes.count)
  }

  mutating func next() -> (identifier: UInt16, data: Range<Int>)? {
    guard position <= end - 4 else { return nil }
    let identifier = bytes.uint16(at: position)
    let start = position + 4
    let size = Int(bytes.uint16(at: position + 2))
    guard size <= end - start else { return nil }
    position = start + size
    return (identifier, start..<position)
  }
}
