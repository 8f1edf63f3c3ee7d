internal import URLLoadingBase

/// A stored part of a body, and another one that comes and makes a longer one of it (RFC 9111, section 3.4).
struct CachedPart: Sendable {
  /// What is stored.
  let found: FoundEntry
  /// The bytes of the whole that it has.
  let stored: ContentRange
  /// The bytes of the whole that come.
  let coming: ContentRange
  /// Both together.
  let combined: URLCacheEntry

  /// Stores both as one. May wait for the disk.
  /// - Parameters:
  ///   - body: of what is stored.
  ///   - new: the bytes that came.
  /// - Returns: nil where it could not be done.
  func store(_ body: URLCacheBody, _ new: Data) -> FoundEntry? {
    guard body.length == stored.length, Int64(new.count) == coming.length,
      let writer = found.store.writer(for: combined, expectedLength: combined.bodyLength)
    else { return nil }
    // The newer bytes win where both have some.
    let before = 0..<max(0, coming.firstByte - stored.firstByte)
    let after = min(stored.length, max(0, coming.lastByte + 1 - stored.firstByte))..<stored.length
    guard copy(before, of: body, to: writer) else { return nil }
    new.withUnsafeBytes { writer.write($0) }
    guard copy(after, of: body, to: writer) else { return nil }
    writer.finish(combined, replacing: [found.entry])
    return FoundEntry(entry: combined, store: found.store)
  }

  private func copy(_ range: Range<Int64>, of body: URLCacheBody, to writer: any URLCacheWriter) -> Bool {
    switch body {
    case .data(let data):
      data.withUnsafeBytes {
        writer.write(UnsafeRawBufferPointer(rebasing: $0[Int(range.lowerBound)..<Int(range.upperBound)]))
      }
    case .reader(let reader):
      guard (try? reader.read(range) { writer.write($0) }) == 0 else {
        writer.cancel()
        return false
      }
    }
    return true
  }
}
