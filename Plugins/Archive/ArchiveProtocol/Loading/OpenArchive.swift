import Foundation
import URLLoading
internal import URLLoadingBase

/// An archive whose directory is known; the loads of its members share it.
///
/// Mutable state: `state`, guarded by its lock.
final class OpenArchive: Sendable {
  fileprivate struct State {
    var password: [UInt8]?
    var spools: [ArchiveEntry.Location: SpooledMember] = [:]
    /// The most recently used last.
    var order: [ArchiveEntry.Location] = []
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
  func spool(_ entry: ArchiveEntry, reading source: any ByteSource) throws -> SpooledMember {
    if let known = state.withLock({ $0.use(entry.location) }) { return known }
    let made = try SpooledMember(
      directory: configuration.temporaryDirectory.path, limit: configuration.maximumSpooledBytes, reading: source
    ) { try reader.open(entry, from: 0, source: $0, password: password) }
    let dropped = state.withLock { state -> SpooledMember? in
      state.spools[entry.location] = made
      _ = state.use(entry.location)
      guard state.order.count > Self.maximumSpools else { return nil }
      return state.spools.removeValue(forKey: state.order.removeFirst())
    }
    withExtendedLifetime(dropped) {}
    return made
  }
}

extension OpenArchive.State {
  fileprivate mutating func use(_ location: ArchiveEntry.Location) -> SpooledMember? {
    guard let spool = spools[location], !spool.isBroken else { return nil }
    order.removeAll { $0 == location }
    order.append(location)
    return spool
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
