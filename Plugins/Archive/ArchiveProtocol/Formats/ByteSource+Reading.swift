extension ByteSource {
  /// Fails when this source was cancelled; reads nothing.
  func checkCancellation() throws {
    _ = try read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0), at: 0)
  }

  /// Up to `count` bytes from `position`; fewer only at the end.
  func bytes(at position: Int64, count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: position)
    }
  }

  /// The length, for which a source that does not know it yet is read to its end.
  func findLength() throws -> Int64 {
    if let length { return length }
    _ = try bytes(at: .max - 1, count: 1)
    guard let length else { throw ArchiveError.damaged("the end of the archive's bytes cannot be found") }
    return length
  }
}
