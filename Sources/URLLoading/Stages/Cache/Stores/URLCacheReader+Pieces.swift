extension URLCacheReader {
  /// Reads a range piece by piece. Pieces end where blocks do, so that a reader that checks its blocks reads each once.
  ///
  /// - Parameter use: gets each piece, which is valid during the call only.
  /// - Returns: the bytes that the body lacks of the range.
  func read(_ range: Range<Int64>, _ use: (UnsafeRawBufferPointer) throws -> Void) throws -> Int64 {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlockSums.blockLength, alignment: 1)
    defer { buffer.deallocate() }
    var position = range.lowerBound
    while position < range.upperBound {
      let left = Int64(buffer.count) - position % Int64(buffer.count)
      let wanted = Int(min(left, range.upperBound - position))
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: position)
      guard count > 0 else { break }
      try use(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      position += Int64(count)
    }
    return range.upperBound - position
  }
}
