extension ByteSource {
  /// Reads the bytes of a range, which the caller has bounded.
  /// - Parameters:
  ///   - capacity: room for so many bytes more.
  ///   - allowsLess: whether the source may end before the range does.
  func bytes(in range: Range<Int64>, reserving capacity: Int = 0, allowsLess: Bool = false) throws -> [UInt8] {
    let count = Int(range.upperBound - range.lowerBound)
    let bytes = try [UInt8](unsafeUninitializedCapacity: count + capacity) { buffer, filled in
      let target = UnsafeMutableRawBufferPointer(buffer)
      filled = try read(into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]), at: range.lowerBound)
    }
    guard bytes.count == count || allowsLess else {
      throw ArchiveError.damaged(
        "the archive ends at \(range.lowerBound + Int64(bytes.count)), before \(range.upperBound)")
    }
    return bytes
  }
}
