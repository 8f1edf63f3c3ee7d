import Foundation
import URLLoadingTestServers

@testable import URLLoading

/// A store of the program's own whose bodies are read piece by piece, and can become unreadable.
final class ReaderStore: URLCacheStore {
  /// What a reader throws where the body is damaged.
  struct Damage: Error {}

  private struct Stored {
    let entry: URLCacheEntry
    let body: Data
  }

  /// Checks nothing ahead.
  private final class Reader: URLCacheReader {
    private let body: Data
    private let isDamaged: Watched<Bool>
    var length: Int64 { Int64(body.count) }

    init(_ body: Data, _ isDamaged: Watched<Bool>) {
      self.body = body
      self.isDamaged = isDamaged
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
      if isDamaged.value { throw Damage() }
      return body.dropFirst(Int(position)).copyBytes(to: buffer)
    }
  }

  /// Tries the first byte of a range ahead.
  private final class CheckingReader: URLCacheReader {
    private let reader: Reader
    var length: Int64 { reader.length }

    init(_ reader: Reader) { self.reader = reader }

    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
      try reader.read(into: buffer, at: position)
    }

    func check(_ range: Range<Int64>) throws {
      var byte: UInt8 = 0
      _ = try withUnsafeMutableBytes(of: &byte) { try reader.read(into: $0, at: range.lowerBound) }
    }
  }

  private final class Writer: URLCacheWriter {
    private let store: ReaderStore
    private let body = Watched(Data())

    init(_ store: ReaderStore) { self.store = store }

    func write(_ bytes: UnsafeRawBufferPointer) { body.update { $0.append(contentsOf: bytes) } }

    func finish(_ entry: URLCacheEntry, replacing replaced: [URLCacheEntry]) {
      store.remove(replaced)
      store.stored.update { $0.append(Stored(entry: entry, body: body.value)) }
    }

    func cancel() {}
  }

  let isDamaged = Watched(false)
  private let checks: Bool
  private let stored = Watched<[Stored]>([])
  let usage = 0
  var capacity: Int {
    get { 10_000_000 }
    set {}
  }

  /// - Parameter checks: whether its readers check ahead.
  init(checks: Bool) { self.checks = checks }

  func entries(for key: String, completionHandler: @escaping @Sendable ([URLCacheEntry]) -> Void) {
    completionHandler(stored.value.map(\.entry).filter { $0.key == key })
  }

  func body(of entry: URLCacheEntry, completionHandler: @escaping @Sendable (URLCacheBody?) -> Void) {
    guard let found = stored.value.first(where: { $0.entry.id == entry.id }) else { return completionHandler(nil) }
    let reader = Reader(found.body, isDamaged)
    completionHandler(.reader(checks ? CheckingReader(reader) : reader))
  }

  func writer(for entry: URLCacheEntry, expectedLength: Int64) -> (any URLCacheWriter)? { Writer(self) }

  func replace(_ entry: URLCacheEntry) {}

  func remove(_ entries: [URLCacheEntry]) {
    stored.update { stored in stored.removeAll { old in entries.contains { $0.id == old.entry.id } } }
  }

  func removeAll(for key: String) { stored.update { stored in stored.removeAll { $0.entry.key == key } } }

  func removeAll(since date: Date?) { stored.update { $0 = [] } }
}
