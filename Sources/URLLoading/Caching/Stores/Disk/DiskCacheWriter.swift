import Foundation
internal import URLLoadingBase

/// Takes the body of an entry: in memory while it is small, in a file from then on.
///
/// Mutable state: `state`, guarded by its lock.
final class DiskCacheWriter: URLCacheWriter {
  /// A body that is whole.
  enum Body: Sendable {
    case data(Data)
    case file(DiskCachePart)

    /// Drops what nobody has stored.
    func discard() { if case .file(let part) = self { part.discard() } }
  }

  private struct State {
    var buffer = Data()
    var part: DiskCachePart?
    var length: Int64 = 0
    var isOver = false

    mutating func end() {
      part?.discard()
      self = State(isOver: true)
    }
  }

  /// Bodies up to this length, in bytes, are rows of the index: a file costs more to make and to open than a row of this length.
  static let largestRow = 16 << 10

  private let store: DiskCacheStore
  private let id: String
  private let limit: Int
  private let state = Locked(State())

  init(store: DiskCacheStore, id: String, limit: Int) {
    self.store = store
    self.id = id
    self.limit = limit
  }

  deinit { cancel() }

  func write(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { state in
      guard !state.isOver else { return }
      state.length += Int64(bytes.count)
      guard state.length <= limit else { return state.end() }
      if state.part == nil {
        if state.buffer.count + bytes.count <= Self.largestRow { return state.buffer.append(contentsOf: bytes) }
        guard let part = store.makePart(id) else { return state.end() }
        state.part = part
        guard state.buffer.withUnsafeBytes({ part.write($0) }) else { return state.end() }
        state.buffer = Data()
      }
      if state.part?.write(bytes) == false { state.end() }
    }
  }

  func finish(_ entry: URLCacheEntry, replacing replaced: [URLCacheEntry]) {
    let body = state.withLock { state -> Body? in
      guard !state.isOver, state.length == entry.bodyLength else {
        state.end()
        return nil
      }
      defer { state = State(isOver: true) }
      return state.part.map { .file($0) } ?? .data(state.buffer)
    }
    // What a disk without room does not take is newer than what it has all the same.
    guard let body else { return store.remove(replaced) }
    store.store(entry, body, replacing: replaced)
  }

  func cancel() { state.withLock { $0.end() } }
}
