internal import URLLoadingBase

/// Reads a ``RandomAccessResource`` with calls that block, for one consumer: a decoder on a thread of its own, say.
///
/// It must not be used on Swift's cooperative pool, whose threads may not wait: from an `async` function use
/// ``RandomAccessResource/read(at:count:)``. Sequential reads trigger read-ahead.
///
/// Mutable state: `state`, guarded by its lock.
public final class RandomAccessReader: Sendable {
  private struct State {
    var isCancelled = false
    var running: [ObjectIdentifier: ReadHandle] = [:]
  }

  private let source: any RandomAccessSource
  private let stream: Int
  private let state = Locked(State())

  init(_ source: any RandomAccessSource) {
    self.source = source
    stream = source.addStream()
  }

  deinit {
    source.removeStream(stream)
  }

  /// The bytes of the resource.
  public var length: Int64 { source.length }

  /// Reads until the buffer is full or the resource ends. Blocks.
  /// - Parameters:
  ///   - buffer: where the bytes go.
  ///   - offset: the position of the first byte, from 0. At or after the end there is nothing to read.
  /// - Returns: how many bytes were read: fewer than `buffer.count` only at the end, and 0 after it.
  /// - Throws: as ``RandomAccessResource/read(at:count:)`` does; `URLError.cancelled` after ``cancel()``.
  public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
    let handle = ReadHandle()
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.running[ObjectIdentifier(handle)] = handle }
      return state.isCancelled
    }
    if isCancelled { throw source.cancellation }
    defer { state.withLock { $0.running[ObjectIdentifier(handle)] = nil } }
    return try source.readBlocking(into: buffer, at: offset, stream: stream, handle: handle)
  }

  /// Makes a read that waits, and all later ones, fail at once with `URLError.cancelled`. From any thread; other readers of
  /// the resource are not affected.
  public func cancel() {
    let running = state.withLock { state in
      state.isCancelled = true
      return Array(state.running.values)
    }
    for handle in running { handle.cancel() }
    source.removeStream(stream)
  }
}
