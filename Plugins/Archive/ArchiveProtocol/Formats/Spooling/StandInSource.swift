internal import URLLoadingBase

/// Stands for the source of the reader that decodes now: a decoder lives longer than its readers.
///
/// Mutable state: `state`, guarded by its lock.
final class StandInSource: ByteSource {
  private struct State {
    var current: any ByteSource
    var failure: (any Error)?
    var readCount: Int64 = 0
  }

  private let state: Locked<State>

  init(_ source: any ByteSource) { state = Locked(State(current: source)) }

  private var current: any ByteSource { state.withLock { $0.current } }
  var length: Int64? { current.length }
  var cancellation: Cancellation { current.cancellation }
  /// The bytes that were read, by all readers.
  var readCount: Int64 { state.withLock { $0.readCount } }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    do {
      let count = try current.read(into: buffer, at: position)
      state.withLock { $0.readCount += Int64(count) }
      return count
    } catch {
      state.withLock { $0.failure = error }
      throw error
    }
  }

  /// Runs `body` with a reader's source. What it throws is a ``SourceFailure`` where the source has failed.
  func with<Result>(_ source: any ByteSource, _ body: () throws -> Result) throws -> Result {
    state.withLock { ($0.current, $0.failure) = (source, nil) }
    do { return try body() } catch {
      guard let failure = state.withLock({ $0.failure }) else { throw error }
      throw SourceFailure(underlying: failure)
    }
  }
}
