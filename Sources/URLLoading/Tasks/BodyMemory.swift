internal import CurlTransport

/// Memory for bodies, used again and again: fresh pages cost more than the bytes that go into them.
///
/// Mutable state: `state`, guarded by its lock.
final class BodyMemory: Sendable {
  /// What is kept is bounded, whatever goes in and out.
  static let shared = BodyMemory(maximumKeptBytes: 8 << 20)

  /// A piece of memory of a capacity that may be used again.
  // Safe to share: a value that says where the memory is; who has it, has it alone.
  struct Block: @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let capacity: Int
  }

  /// The capacities are multiples of this.
  private static let unit = 16 << 10
  /// Larger ones are mapped by the system one by one, and given back.
  static let largestBlock = 1 << 20

  // Safe to share: only reached through the lock.
  private struct State: @unchecked Sendable {
    /// By capacity in units, less one.
    var free: [[UnsafeMutableRawPointer]]
    var keptBytes = 0
  }

  private let maximumKeptBytes: Int
  private let state: Locked<State>

  init(maximumKeptBytes: Int) {
    self.maximumKeptBytes = maximumKeptBytes
    state = Locked(State(free: Array(repeating: [], count: Self.largestBlock / Self.unit)))
  }

  deinit {
    state.withLock { state in
      for block in state.free.joined() { block.deallocate() }
    }
  }

  /// Bytes that wait to be used again.
  var keptBytes: Int { state.withLock { $0.keptBytes } }

  /// A block for at least `count` bytes, of at most ``largestBlock``; nil when there is no memory.
  func take(atLeast count: Int) -> Block? {
    let units = max(1, (count + Self.unit - 1) / Self.unit)
    let capacity = units * Self.unit
    let kept = state.withLock { state -> UnsafeMutableRawPointer? in
      guard let start = state.free[units - 1].popLast() else { return nil }
      state.keptBytes -= capacity
      return start
    }
    return (kept ?? malloc(capacity)).map { Block(start: $0, capacity: capacity) }
  }

  /// Gives a block back.
  func recycle(_ block: Block) {
    let isKept = state.withLock { state in
      guard state.keptBytes + block.capacity <= maximumKeptBytes else { return false }
      state.keptBytes += block.capacity
      state.free[block.capacity / Self.unit - 1].append(block.start)
      return true
    }
    if !isKept { free(block.start) }
  }
}
