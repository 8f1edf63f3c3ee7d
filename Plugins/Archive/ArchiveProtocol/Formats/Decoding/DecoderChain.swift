/// One or two decoders, one behind the other, over a source.
final class DecoderChain {
  private let packed = SourceStream()
  private let last: any ByteStream

  /// - Parameter filters: the outermost first.
  init(_ filters: [CompressionFilter]) throws {
    var stream: any ByteStream = packed
    for filter in filters {
      stream = filter == .gzip ? try GzipDecoder(stream) : LibarchiveDecoder(filter, stream)
    }
    last = stream
  }

  /// The packed bytes that were read.
  var packedCount: Int64 { packed.position }
  var isBroken: Bool { last.isBroken }

  /// The next decoded bytes, valid until the next call; empty at the end.
  func next(reading source: any ByteSource) throws -> UnsafeRawBufferPointer {
    packed.source = source
    defer { packed.source = nil }
    return try last.next()
  }
}
