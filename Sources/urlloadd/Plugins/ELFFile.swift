/// The bytes of a file that may be anything.
struct ELFFile {
  let size: UInt64
  /// Reads so many bytes, or fewer where the file ends or cannot be read.
  let read: (_ offset: UInt64, _ count: Int) -> [UInt8]

  /// - Parameter part: what is there, for people.
  func bytes(at offset: UInt64, count: UInt64, limit: UInt64, _ part: String) throws(PluginError) -> LittleEndianBytes {
    guard count <= limit else { throw .damaged("\(part) has \(count) bytes") }
    guard contains(offset, count: count) else { throw .damaged("\(part) is beyond its end") }
    // Not more than the limit, which is an `Int`.
    let bytes = read(offset, Int(count))
    guard bytes.count == Int(count) else { throw .damaged("\(part) cannot be read") }
    return LittleEndianBytes(bytes: bytes)
  }

  func contains(_ offset: UInt64, count: UInt64) -> Bool { offset <= size && count <= size - offset }

  /// A text that a zero byte ends.
  func text(at offset: UInt64, limit: Int) throws(PluginError) -> String {
    guard offset < size else { throw .damaged("a name is beyond its end") }
    let bytes = read(offset, Int(min(UInt64(limit), size - offset)))
    guard let end = bytes.firstIndex(of: 0) else { throw .damaged("a name does not end") }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }
}
