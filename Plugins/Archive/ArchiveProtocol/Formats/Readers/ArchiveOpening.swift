/// Finds out what an archive is, by its content, and makes the reader for it.
enum ArchiveOpening {
  /// - Parameters:
  ///   - source: the archive's bytes, for as long as its directory is read.
  ///   - archiveName: the last component of the archive's URL, by which a lone packed file without a name of its own is named.
  /// - Returns: nil for a zip archive, which has a reader of its own.
  /// - Throws: ``ArchiveError/unknownFormat(_:)`` for anything that is not enabled, and what the source throws.
  static func reader(
    for source: any ByteSource, archiveName: String?, options: FormatOptions
  ) throws -> (any ArchiveReader)? {
    let head = try source.bytes(at: 0, count: ArchiveSignature.headLength)
    switch ArchiveSignature.detect(head: head) {
    case .archive(.zip): return nil
    case .archive(let format): return try reader(format, source: source, head: head, options: options)
    case .compressed(let filter):
      return try PackedOpening(outermost: filter, source: source, archiveName: archiveName, options: options).reader()
    case .unknown(let guess):
      if try endsAsZip(source) { return nil }
      throw ArchiveError.unknownFormat(guess)
    }
  }

  private static func reader(
    _ format: ArchiveFormat, source: any ByteSource, head: [UInt8], options: FormatOptions
  ) throws -> any ArchiveReader {
    guard options.allows(format) else {
      throw ArchiveError.unknownFormat("a \(format.name) archive; `enabledFormats` of the configuration allows them")
    }
    if format.isPlainSequence { return SequenceReader(format, source: source, options: options) }
    return LibarchiveReader(format, source: source, head: head, options: options)
  }

  private static func endsAsZip(_ source: any ByteSource) throws -> Bool {
    let length = try source.findLength()
    let count = Int(min(length, Int64(ArchiveSignature.tailLength)))
    return ArchiveSignature.hasZipEndRecord(try source.bytes(at: length - Int64(count), count: count))
  }
}
