import Foundation
import URLLoading
internal import URLLoadingBase

/// Opens an archive: detects its format by its content, and reads its directory or takes one that is known.
struct ArchiveOpener: Sendable {
  /// Bytes. The end is loaded first: a zip has its directory there, which most often fits. An end record with the longest comment
  /// has 65,557 bytes, with zip64's records 65,633 (APPNOTE 4.3.14 to 4.3.16).
  private static let firstSuffix = 68 << 10

  let request: URLRequest
  let url: URL
  let session: URLSession
  let configuration: ArchiveConfiguration
  /// The member that is wanted first: with a known directory the first request asks for its bytes.
  let member: [UInt8]

  /// - Parameter previous: the directory, as this session last read it.
  func open(_ opening: SharedOpening, previous: KnownIndex?) throws -> OpenArchive {
    let known = previous ?? indexFile?.load()
    // Taken before the file is opened, so that a file that is replaced meanwhile differs.
    let version = FileVersion(ofLocal: url)
    let resource = try openResource(known, opening)
    let source = ResourceSource(resource)
    opening.cancellation.onCancel { source.cancel() }
    func archive(_ reader: any ArchiveReader, _ index: ArchiveIndex) -> OpenArchive {
      OpenArchive(
        url: url, resource: resource, reader: reader, index: index, configuration: configuration, openedAs: version)
    }
    do {
      if let known, known.describes(resource), let reader = known.reader(source, configuration) {
        return archive(reader, known.index)
      }
      let reader = try ArchiveOpening.reader(
        for: source, archiveName: url.lastPathComponent, configuration: configuration)
      let read = archive(reader, ArchiveIndex(try reader.readEntries()))
      if let indexFile, let known = KnownIndex(of: read) { indexFile.save(known) }
      return read
    } catch {
      resource.close()
      throw error
    }
  }

  private var indexFile: IndexFile? {
    configuration.indexDirectory.map { IndexFile(directory: $0, url: url, limits: configuration) }
  }

  private func openResource(_ known: KnownIndex?, _ opening: SharedOpening) throws -> RandomAccessResource {
    var options = RandomAccessOptions()
    // The load of the member waits, and no thread does.
    options.waitsForConnectivity = false
    options.temporaryDirectory = configuration.temporaryDirectory
    options.maximumSpooledBytes = configuration.maximumSpooledBytes
    if let range = known?.firstRange(for: member) {
      options.firstRange = .positions(first: range.lowerBound, count: range.count)
      // An archive that became too short for that range has a new directory.
      if let resource = try? load(options, opening) { return resource }
    }
    options.firstRange = .suffix(Self.firstSuffix)
    return try load(options, opening)
  }

  private func load(_ options: RandomAccessOptions, _ opening: SharedOpening) throws -> RandomAccessResource {
    try waitForResult(
      of: { [session, request] in try await session.randomAccess(to: request, options: options) },
      onStart: { opening.cancellation.onCancel($0) })
  }
}
