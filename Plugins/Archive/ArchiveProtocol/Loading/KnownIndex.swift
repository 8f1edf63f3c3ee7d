import Foundation
import URLLoading

/// The directory of an archive at some time, and what tells whether it is still valid.
struct KnownIndex: Sendable {
  var formatName: String
  var length: Int64
  var validators: ResourceValidators
  var index: ArchiveIndex

  /// Bytes of the first read: a local header with a name of usual length, and small members as a whole.
  private static let headerSize: Int64 = 512
  private static let largestFirstRead: Int64 = 64 << 10
}

extension KnownIndex {
  /// Nil where the directory is of no use for another reader: versions of the archive cannot be told apart, or members have no
  /// positions.
  init?(of archive: OpenArchive) {
    guard archive.resource.validators.isStrong, archive.url.isFileURL || archive.resource.hasByteRanges,
      archive.index.entries.allSatisfy({ if case .ordinal = $0.location { false } else { true } })
    else { return nil }
    self.init(
      formatName: archive.reader.formatName, length: archive.resource.length, validators: archive.resource.validators,
      index: archive.index)
  }

  /// Whether this is the directory of an archive that was opened.
  func describes(_ resource: RandomAccessResource) -> Bool {
    resource.length == length && resource.validators.isStrong && resource.validators == validators
  }

  /// A reader for members at known positions.
  func reader(_ source: any ByteSource, _ configuration: ArchiveConfiguration) -> (any ArchiveReader)? {
    switch ArchiveFormat(rawValue: formatName) {
    case .zip: ZipReader(source: source, limits: configuration)
    case let format? where format.isPlainSequence:
      SequenceReader(format: format, source: source, configuration: configuration)
    default: nil
    }
  }

  /// The first bytes to read for a member; nil for what is no member, or has no bytes.
  func firstRange(for path: [UInt8]) -> Range<Int64>? {
    guard case .member(let entry) = index.resolve(path) else { return nil }
    let (start, size): (Int64, Int64)
    switch entry.location {
    case .plain(let position): (start, size) = (position, entry.size ?? 0)
    case .zip(let position, let compressedSize, _, _): (start, size) = (position, compressedSize)
    case .ordinal, .none: return nil
    }
    guard start >= 0, start < length else { return nil }
    let count = min(Self.headerSize + min(max(size, 0), Self.largestFirstRead), length - start)
    return start..<(start + count)
  }
}
