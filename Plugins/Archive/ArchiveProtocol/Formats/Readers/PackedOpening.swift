/// Makes the reader for a compressed stream: a sequence of members, or one file.
struct PackedOpening {
  /// Filters inside one another that are decoded.
  static let maximumDepth = 2

  let outermost: CompressionFilter
  let source: any ByteSource
  let archiveName: String?
  let configuration: ArchiveConfiguration

  func reader() throws -> any ArchiveReader {
    var filters = [outermost]
    var gzipHeader = try header(of: outermost, in: source)
    while true {
      let spool = try DecodedSpool(configuration: configuration) { [filters] in try Self.decoder(filters, over: $0) }
      let decoder = SpooledDecoder(spool: spool, packed: source)
      let head = try decoder.bytes(at: 0, count: ArchiveSignature.headLength)
      switch ArchiveSignature.detect(head: head) {
      case .archive(let format) where format.isPlainSequence:
        let inner = SequenceReader(format: format, source: decoder, configuration: configuration)
        return PackedReader(inner: inner, filters: filters, spool: spool)
      case .compressed(let filter) where filters.count < Self.maximumDepth && filter != .lzma:
        // Starts again with both filters in one chain, which spools the inner bytes only.
        gzipHeader = try header(of: filter, in: decoder)
        filters.append(filter)
      default:
        return LoneFileReader(
          name: name(filters, gzipHeader), modificationDate: gzipHeader?.modificationDate, source: source,
          filters: filters, spool: spool)
      }
    }
  }

  /// Decoders one after the other.
  /// - Parameter filters: the outermost first.
  private static func decoder(_ filters: [CompressionFilter], over source: any ByteSource) throws -> any ByteStream {
    var last: (any ByteStream)?
    for filter in filters {
      let origin: any FeedOrigin = last.map(StreamOrigin.init) ?? SourceOrigin(source, isSeekable: false)
      let decoder: any ByteStream = filter == .gzip ? try GzipDecoder(origin) : LibarchiveDecoder(filter, origin)
      last = decoder
    }
    guard let last else { throw ArchiveError.unsupported("no filter") }
    return last
  }

  private func header(of filter: CompressionFilter, in source: any ByteSource) throws -> GzipHeader? {
    guard filter == .gzip else { return nil }
    return GzipHeader(head: try source.bytes(at: 0, count: GzipHeader.prefixLength))
  }

  /// By the gzip header, else by the archive's name without the suffixes of its filters, else `data`.
  private func name(_ filters: [CompressionFilter], _ header: GzipHeader?) -> [UInt8] {
    if let fileName = header?.fileName {
      // Only the last component: RFC 1952 has no directories there.
      let path = ArchivePath.canonical(Array(fileName.split(separator: 0x2f).last ?? []))
      if !path.isEmpty { return path }
    }
    let stripped = filters.reduce(archiveName ?? "") { $1.strippingSuffix(of: $0) }
    let path = ArchivePath.canonical(Array(stripped.utf8.map { $0 == 0x2f ? 0x5f : $0 }))
    return path.isEmpty ? Array("data".utf8) : path
  }
}
