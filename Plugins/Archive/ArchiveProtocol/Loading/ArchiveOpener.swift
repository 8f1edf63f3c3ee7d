import Foundation
import URLLoading

/// Opens an archive: finds out its format by its content, and reads its directory or takes over one that is known.
struct ArchiveOpener: Sendable {
  /// The end of the archive comes first: a zip has its directory there, and most often all of it fits. An end record with the
  /// longest comment has 65,557 bytes, with what zip64 has in front of it 65,633 (APPNOTE 4.3.14 to 4.3.16).
  private static let firstSuffix = 68 << 10

  let request: URLRequest
  let url: URL
  let session: URLSession
  let configuration: ArchiveConfiguration
  /// The member that is wanted first: with a known directory the first request asks for its bytes.
  let member: [UInt8]
  /// The directory as it was when the archive was last read by this session.
  let previous: KnownIndex?

  func open(_ opening: SharedOpening) throws -> OpenArchive {
    let known = previous ?? configuration.indexDirectory.flatMap { IndexFile(directory: $0, url: url).load() }
    // Looked at before the file is opened: one that is replaced meanwhile is another than this.
    let version = LocalVersion(url)
    let resource = try openResource(known, opening)
    let source = ResourceSource(resource)
    opening.whenCancelled { source.cancel() }
    do {
      if let known, known.describes(resource), let reader = known.reader(source, configuration) {
        return archive(resource, reader, known.index, version)
      }
      let reader = try self.reader(source)
      let index = ArchiveIndex(try reader.readEntries())
      let archive = archive(resource, reader, index, version)
      if let directory = configuration.indexDirectory, let known = KnownIndex(of: archive) {
        IndexFile(directory: directory, url: url).save(known)
      }
      return archive
    } catch {
      resource.close()
      throw error
    }
  }

  private func archive(
    _ resource: RandomAccessResource, _ reader: any ArchiveReader, _ index: ArchiveIndex, _ version: LocalVersion?
  ) -> OpenArchive {
    OpenArchive(
      url: url, resource: resource, reader: reader, index: index, configuration: configuration, openedAs: version)
  }

  private func openResource(_ known: KnownIndex?, _ opening: SharedOpening) throws -> RandomAccessResource {
    var options = RandomAccessOptions()
    options.temporaryDirectory = configuration.temporaryDirectory
    options.maximumSpooledBytes = configuration.maximumSpooledBytes
    if let range = known?.firstRange(for: member) {
      options.firstRange = .positions(first: range.lowerBound, count: range.count)
      // The archive may have become too short for that range: then its directory is read anew.
      if let resource = try? load(options, opening) { return resource }
    }
    options.firstRange = .suffix(Self.firstSuffix)
    return try load(options, opening)
  }

  private func load(_ options: RandomAccessOptions, _ opening: SharedOpening) throws -> RandomAccessResource {
    try waitForResult(
      of: { [session, request] in try await session.randomAccess(to: request, options: options) },
      onStart: { opening.whenCancelled($0) })
  }

  private func reader(_ source: ResourceSource) throws -> any ArchiveReader {
    let zip = ZipReader(source: source, limits: configuration.limits)
    let length = source.length ?? 0
    let count = Int(min(length, Int64(ArchiveSignature.tailLength)))
    // The end is here already; the beginning is looked at only if this is no zip.
    if ArchiveSignature.hasZipEndRecord(try source.bytes(at: length - Int64(count), count: count)) { return zip }
    return try ArchiveOpening.reader(
      for: source, archiveName: url.lastPathComponent, options: configuration.formatOptions) ?? zip
  }
}
