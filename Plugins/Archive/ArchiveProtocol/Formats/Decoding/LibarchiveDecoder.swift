/// Decodes one stream by one of libarchive's filters.
final class LibarchiveDecoder: ByteStream {
  private let filter: CompressionFilter
  private let feed: LibarchiveFeed
  private var hasFailed = false
  private var handle: LibarchiveHandle?
  private var isAtEnd = false

  init(_ filter: CompressionFilter, _ origin: any FeedOrigin) {
    self.filter = filter
    feed = LibarchiveFeed(origin, blocks: .init(smallest: 256 << 10, largest: 256 << 10))
  }

  var isBroken: Bool { hasFailed || feed.origin.isBroken }

  func next() throws -> UnsafeRawBufferPointer {
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    if isAtEnd { return none }
    // A source that fails here costs nothing; inside libarchive it costs the decoder.
    try feed.fetchAhead(window)
    do {
      if let block = try openedHandle()?.nextBlock() {
        guard !block.bytes.isEmpty else { throw ArchiveError.damaged("the decoder gives nothing") }
        return block.bytes
      }
      try checkEnd()
    } catch {
      hasFailed = true
      if case ArchiveError.damaged(let reason) = error {
        throw ArchiveError.damaged("\(filter.rawValue): \(reason)")
      }
      throw error
    }
    isAtEnd = true
    handle = nil
    return none
  }

  /// More packed bytes than one step of the filter takes, except in long runs of frames without content.
  private var window: Int {
    switch filter {
    case .lz4: 5 << 20  // a block of 4 MiB
    case .bzip2: 1280 << 10  // a block of 900 kB
    case .gzip, .xz, .lzma, .zstd: 512 << 10
    }
  }

  /// Nil where the stream is empty.
  private func openedHandle() throws -> LibarchiveHandle? {
    if let handle { return handle }
    let handle = try LibarchiveHandle(feed, format: nil, filter: filter)
    self.handle = handle
    return try handle.nextHeader() == nil ? nil : handle
  }

  /// libarchive 3.6 ignores what stands after the end of some filters.
  private func checkEnd() throws {
    guard let handle else { return }
    try feed.fetchAhead(1)
    guard feed.position == feed.fetchedCount, handle.packedConsumedCount == feed.fetchedCount else {
      throw ArchiveError.damaged("something else follows the end of the compressed data")
    }
  }
}
