import Foundation
import URLLoading
internal import URLLoadingBase

/// An archive whose directory is known; the loads of its members share it.
///
/// Mutable state: `state`, guarded by its lock.
final class OpenArchive: Sendable {
  private struct State {
    var password: [UInt8]?
    /// The most recently used last.
    var spools: [(location: ArchiveEntry.Location, spool: DecodedSpool)] = []
  }

  /// Members that are kept decoded.
  private static let maximumSpools = 4

  let url: URL
  let resource: RandomAccessResource
  let reader: any ArchiveReader
  let index: ArchiveIndex
  let configuration: ArchiveConfiguration
  private let openedVersion: FileVersion?
  private let state = Locked(State())

  init(
    url: URL, resource: RandomAccessResource, reader: any ArchiveReader, index: ArchiveIndex,
    configuration: ArchiveConfiguration, openedAs: FileVersion?
  ) {
    self.url = url
    self.resource = resource
    self.reader = reader
    self.index = index
    self.configuration = configuration
    openedVersion = openedAs
  }

  deinit { resource.close() }

  /// Whether the name of a local archive still leads to the open file. Other archives are validated with every range.
  var isUnchangedFile: Bool {
    guard url.isFileURL, !resource.isRemote else { return true }
    return FileVersion(ofLocal: url) == openedVersion
  }

  /// The password that last opened a member.
  var password: [UInt8]? {
    get { state.withLock { $0.password } }
    set { state.withLock { $0.password = newValue } }
  }

  /// See ``ArchiveIndex/resolve(_:)``.
  func resolve(_ path: [UInt8], source: any ByteSource) throws -> ArchiveIndex.Resolution {
    try index.resolve(path) { link in
      guard let zip = reader as? ZipReader else { return [] }
      return try zip.readLinkTarget(of: link, source: source, password: self.password)
    }
  }

  /// The spool of a member that has to be decoded from its start, for all loads of its parts.
  func spool(_ entry: ArchiveEntry) throws -> DecodedSpool {
    try state.withLock { state in
      let index = state.spools.firstIndex { $0.location == entry.location }
      let known = index.map { state.spools.remove(at: $0).spool }
      let spool =
        if let known, !known.isBroken { known } else {
          try DecodedSpool(configuration: configuration, isRatioKnown: true) { [reader, password = state.password] in
            BodyStream(try reader.open(entry, from: 0, source: $0, password: password))
          }
        }
      state.spools.append((entry.location, spool))
      if state.spools.count > Self.maximumSpools { state.spools.removeFirst() }
      return spool
    }
  }
}

extension FileVersion {
  /// Nil for what is no local file.
  init?(ofLocal url: URL) {
    guard url.isFileURL else { return nil }
    let version = url.withUnsafeFileSystemRepresentation { $0.flatMap { FileVersion(path: $0) } }
    guard let version else { return nil }
    self = version
  }
}
