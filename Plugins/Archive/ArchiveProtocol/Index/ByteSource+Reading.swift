extension ByteSource {
  func cancel() { cancellation.cancel() }

  func checkCancellation() throws {
    if cancellation.isCancelled { throw ArchiveError.cancelled }
  }

  /// Up to `count` bytes from `position`; fewer only at the end.
  /// - Parameter capacity: room in the array for so many bytes more.
  func bytes(at position: Int64, count: Int, reserving capacity: Int = 0) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count + capacity) { buffer, filled in
      let target = UnsafeMutableRawBufferPointer(buffer)
      filled = try read(into: UnsafeMutableRawBufferPointer(rebasing: target[..<count]), at: position)
    }
  }

  /// All bytes of a range, which the caller has bounded.
  func bytes(in range: Range<Int64>, reserving capacity: Int = 0) throws -> [UInt8] {
    let bytes = try bytes(at: range.lowerBound, count: range.count, reserving: capacity)
    guard bytes.count == range.count else {
      throw ArchiveError.damaged(
        "the archive ends at \(range.lowerBound + Int64(bytes.count)), before \(range.upperBound)")
    }
    return bytes
  }

  /// The length, for which a source that does not know it yet is read to its end.
  func findLength() throws -> Int64 {
    if let length { return length }
    _ = try bytes(at: .max - 1, count: 1)
    guard let length else { throw ArchiveError.damaged("the end of the archive's bytes cannot be found") }
    return length
  }
}
