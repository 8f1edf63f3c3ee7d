/// One or two decoders, one behind the other, over a source.
final class DecoderChain {
  private let packed = SourceOrigin(nil, isSeekable: false)
  private let first: any ByteStream
  private let last: any ByteStream

  /// - Parameter filters: the outermost first.
  init(_ filters: [CompressionFilter]) throws {
    var decoders: [any ByteStream] = []
    for filter in filters {
      let origin: any FeedOrigin = decoders.last.map(StreamOrigin.init) ?? packed
      decoders.append(filter == .gzip ? try GzipDecoder(origin) : LibarchiveDecoder(filter, origin))
    }
    guard let first = decoders.first, let last = decoders.last else { throw ArchiveError.unsupported("no filter") }
    (self.first, self.last) = (first, last)
  }

  /// The packed bytes that were read.
  var packedCount: Int64 { first.packedCount }
  var isBroken: Bool { last.isBroken }

  /// The next decoded bytes, valid until the next call; empty at the end.
  func next(reading source: any ByteSource) throws -> UnsafeRawBufferPointer {
    packed.source = source
    defer { packed.source = nil }
    return try last.next()
  }
}
