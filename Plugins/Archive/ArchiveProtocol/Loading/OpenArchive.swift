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
    /// The location of the spool that was used last stands last.
    var order: [ArchiveEntry.Location] = []
  }

  /// Members that are kept decoded, because parts of them were asked for.
  private static let maximumSpools = 4

  let url: URL
  let resource: RandomAccessResource
  let reader: any ArchiveReader
  let index: ArchiveIndex
  let configuration: ArchiveConfiguration
  private let openedVersion: LocalVersion?
  private let state = Locked(State())

  init(
    url: URL, resource: RandomAccessResource, reader: any ArchiveReader, index: ArchiveIndex,
    configuration: ArchiveConfiguration, openedAs: LocalVersion?
  ) {
    self.url = url
    self.resource = resource
    self.reader = reader
    self.index = index
    self.configuration = configuration
    openedVersion = openedAs
  }

  deinit { resource.close() }

  /// For a local archive: the name still leads to the file that is open. Others are asked about with every range.
  var isUnchangedFile: Bool {
    guard url.isFileURL, !resource.isRemote else { return true }
    return LocalVersion(url) == openedVersion
  }

  /// The password that opened a member before.
  var password: [UInt8]? {
    get { state.withLock { $0.password } }
    set { state.withLock { $0.password = newValue } }
  }

  /// Follows a name to what it stands for.
  func resolve(_ path: [UInt8], source: any ByteSource) throws -> ArchiveIndex.Resolution {
    try index.resolve(path) { link in
      guard let zip = reader as? ZipReader else { return [] }
      return try zip.readLinkTarget(of: link, source: source, password: self.password)
    }
  }

  /// The bytes of a member that cannot be read at any place, decoded once for all who ask for parts of it.
  func spool(_ entry: ArchiveEntry) throws -> SpooledMember {
    if let known = state.withLock({ $0.use(entry.location) }) { return known }
    let source = ResourceSource(resource)
    let body = try reader.open(entry, from: 0, source: source, password: password)
    let made = try SpooledMember(
      body, source: source, directory: configuration.temporaryDirectory.path,
      limit: configuration.maximumSpooledBytes)
    let dropped = state.withLock { state -> SpooledMember? in
      state.spools[entry.location] = made
      _ = state.use(entry.location)
      guard state.order.count > Self.maximumSpools else { return nil }
      return state.spools.removeValue(forKey: state.order.removeFirst())
    }
    withExtendedLifetime(dropped) {}
    return made
  }

  /// Forgets a spool whose decoding was broken off.
  func drop(_ spool: SpooledMember, of entry: ArchiveEntry) {
    let dropped = state.withLock { state -> SpooledMember? in
      guard state.spools[entry.location] === spool else { return nil }
      state.order.removeAll { $0 == entry.location }
      return state.spools.removeValue(forKey: entry.location)
    }
    withExtendedLifetime(dropped) {}
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
