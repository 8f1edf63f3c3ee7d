/// Detects the format of an archive, and makes the reader for it.
enum ArchiveOpening {
  /// - Parameters:
  ///   - source: the archive's bytes, for reading its directory.
  ///   - archiveName: the last component of the archive's URL, which names a lone compressed file that has no name of its own.
  /// - Throws: ``ArchiveError/unknownFormat(_:)`` for anything that is not enabled, and what the source throws.
  static func reader(
    for source: any ByteSource, archiveName: String?, configuration: ArchiveConfiguration
  ) throws -> any ArchiveReader {
    // A zip may stand after other data, and its directory is at the end.
    let length = try source.findLength()
    let count = Int(min(length, Int64(ArchiveSignature.tailLength)))
    if ArchiveSignature.hasZipEndRecord(try source.bytes(at: length - Int64(count), count: count)) {
      return ZipReader(source: source, limits: configuration)
    }
    let head = try source.bytes(at: 0, count: ArchiveSignature.headLength)
    switch ArchiveSignature.detect(head: head) {
    case .archive(.zip): return ZipReader(source: source, limits: configuration)
    case .archive(let format) where !configuration.allows(format):
      throw ArchiveError.unknownFormat(
        "a \(format.rawValue) archive, which only `optionalFormats` of the configuration allows")
    case .archive(let format) where format.isPlainSequence:
      return SequenceReader(format: format, source: source, configuration: configuration)
    case .archive(let format):
      return LibarchiveReader(format, source: source, head: head, configuration: configuration)
    case .compressed(let filter):
      return try PackedOpening(
        outermost: filter, source: source, archiveName: archiveName, configuration: configuration
      ).reader()
    case .unknown(let guess): throw ArchiveError.unknownFormat(guess)
    }
  }
}
