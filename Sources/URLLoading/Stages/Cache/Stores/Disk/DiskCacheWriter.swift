import Foundation
internal import URLLoadingBase

/// Takes the body of an entry: in memory while it is small, in a file from then on.
///
/// Mutable state: `state`, guarded by its lock.
final class DiskCacheWriter: URLCacheWriter {
  /// A body that is whole.
  enum Body: Sendable {
    case data(Data)
    case file(DiskCachePart, BlockSums)

    /// Drops what nobody has stored.
    func discard() { if case .file(let part, _) = self { part.discard() } }
  }

  private struct State {
    var buffer = Data()
    var part: DiskCachePart?
    /// Of what is in the file.
    var summer = BlockSummer()
    var length: Int64 = 0
    var isOver = false

    mutating func end() {
      part?.discard()
      self = State(isOver: true)
    }

    /// Writes to the file.
    /// - Returns: false where the disk is full, or fails.
    mutating func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
      summer.update(bytes)
      return part?.write(bytes) ?? false
    }

    /// The body, which is whole.
    var body: Body? {
      guard let part else { return .data(buffer) }
      return summer.sums.map { .file(part, $0) }
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
        let buffer = state.buffer
        state.buffer = Data()
        guard buffer.withUnsafeBytes({ state.write($0) }) else { return state.end() }
      }
      if !state.write(bytes) { state.end() }
    }
  }

  func finish(_ entry: URLCacheEntry, replacing replaced: [URLCacheEntry]) {
    let body = state.withLock { state -> Body? in
      guard !state.isOver, state.length == entry.bodyLength else {
        state.end()
        return nil
      }
      defer { state = State(isOver: true) }
      return state.body
    }
    // What a disk without room does not take is newer than what it has all the same.
    guard let body else { return store.remove(replaced) }
    store.store(entry, body, replacing: replaced)
  }

  func cancel() { state.withLock { $0.end() } }
}
