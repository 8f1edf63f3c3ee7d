import Foundation
import URLLoading
internal import URLLoadingBase

/// The archives that a session has open: the loads of members of one archive share its directory and its bytes.
///
/// Mutable state: `state`, guarded by its lock.
final class ArchiveStore: URLSessionComponent {
  /// Archives are the same by URL and request fields.
  struct Key: Hashable {
    var url: URL
    var fields: [String: String]
  }

  private enum Slot {
    case opening(SharedOpening)
    case open(OpenArchive, lastUse: MonotonicInstant)
  }

  private struct State {
    var slots: [Key: Slot] = [:]
    var isInvalid = false
    var isSweeping = false
  }

  /// Archives that are kept open.
  private static let maximumArchives = 16
  /// Members of all of them together; one archive alone may have more.
  private static let maximumMembers = 1_000_000

  /// An archive that was idle for longer is validated before it is used again.
  private static let trustTime = Duration.seconds(10)
  /// An archive that was idle for longer is closed.
  private static let idleTime = Duration.seconds(60)

  private let state = Locked(State())

  init(configuration: URLSessionConfiguration) {}

  /// The archive, opened if necessary. Blocks.
  /// - Parameter open: opens the archive; called once for all that wait, on a thread of the pool. Gets the directory of an
  ///   archive that has to be validated.
  func archive(
    for key: Key, depth: Int, gate: URLProtocolGate,
    open: @escaping @Sendable (SharedOpening, KnownIndex?) throws -> OpenArchive
  ) throws -> OpenArchive {
    let now = MonotonicInstant.now
    let new = SharedOpening()
    let (slot, stale) = state.withLock { state -> (Slot, OpenArchive?) in
      switch state.slots[key] {
      case .open(let archive, let lastUse) where lastUse.duration(to: now) < Self.trustTime && archive.isUnchangedFile:
        state.slots[key] = .open(archive, lastUse: now)
        return (.open(archive, lastUse: now), nil)
      case .opening(let opening) where opening.join(): return (.opening(opening), nil)
      case let slot:
        state.slots[key] = .opening(new)
        if case .open(let archive, _) = slot { return (.opening(new), archive) }
        return (.opening(new), nil)
      }
    }
    switch slot {
    case .open(let archive, _): return archive
    case .opening(let opening):
      if opening === new {
        ArchivePools.shared.opening(depth: depth).run {
          let result = Result { try open(new, stale.flatMap { KnownIndex(of: $0) }) }
          self.settle(new, key, result)
          new.finish(result)
        }
      }
      return try opening.wait(gate)
    }
  }

  /// Forgets an archive that has changed or cannot be read any more.
  func discard(_ archive: OpenArchive, for key: Key) {
    state.withLock { state in
      if case .open(let known, _) = state.slots[key], known === archive { state.slots[key] = nil }
    }
  }

  func flush() {
    // Closed when the lock is open again.
    _ = state.withLock { state in
      defer { state.slots = state.slots.filter { if case .opening = $0.value { true } else { false } } }
      return state.slots
    }
  }

  func invalidate() {
    let dropped = state.withLock { state in
      state.isInvalid = true
      defer { state.slots = [:] }
      return state.slots
    }
    for slot in dropped.values {
      if case .opening(let opening) = slot { opening.cancellation.cancel() }
    }
  }

  private func settle(_ opening: SharedOpening, _ key: Key, _ result: Result<OpenArchive, any Error>) {
    _ = state.withLock { state -> [OpenArchive] in
      guard case .opening(let current) = state.slots[key], current === opening else { return [] }
      guard case .success(let archive) = result, !state.isInvalid else {
        state.slots[key] = nil
        return []
      }
      state.slots[key] = .open(archive, lastUse: .now)
      return Self.evict(&state)
    }
    sweepLater()
  }

  /// Closes idle archives, which keep memory and the session, every 30 seconds.
  private func sweepLater() {
    let isFirst = state.withLock { state in
      defer { state.isSweeping = true }
      return !state.isSweeping
    }
    guard isFirst else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + 30) { [weak self] in self?.sweep() }
  }

  private func sweep() {
    let now = MonotonicInstant.now
    let (all, isOpen) = state.withLock { state in
      state.isSweeping = false
      let all = state.slots
      state.slots = all.filter {
        if case .open(_, let lastUse) = $0.value { lastUse.duration(to: now) <= Self.idleTime } else { true }
      }
      return (all, !state.slots.isEmpty)
    }
    withExtendedLifetime(all) {}
    if isOpen { sweepLater() }
  }

  /// Drops the least recently used archives until the rest is within the limits.
  private static func evict(_ state: inout State) -> [OpenArchive] {
    var open = state.slots.compactMap {
      key, slot -> (key: Key, archive: OpenArchive, lastUse: MonotonicInstant)? in
      if case .open(let archive, let lastUse) = slot { (key, archive, lastUse) } else { nil }
    }
    open.sort { $0.lastUse < $1.lastUse }
    var members = open.reduce(0) { $0 + $1.archive.index.entries.count }
    var dropped: [OpenArchive] = []
    while open.count - dropped.count > 1,
      open.count - dropped.count > maximumArchives || members > maximumMembers
    {
      let oldest = open[dropped.count]
      members -= oldest.archive.index.entries.count
      state.slots[oldest.key] = nil
      dropped.append(oldest.archive)
    }
    return dropped
  }
}
