import Foundation

/// Memory for bodies, used again and again: fresh pages cost more than the bytes that go into them.
///
/// Mutable state: `state`, guarded by its lock.
package final class BodyMemory: Sendable {
  /// What is kept is bounded, whatever goes in and out.
  package static let shared = BodyMemory(maximumKeptBytes: 8 << 20)

  /// A piece of memory of a capacity that may be used again.
  // Safe to share: a value that says where the memory is; it has one owner at a time.
  package struct Block: @unchecked Sendable {
    package let start: UnsafeMutableRawPointer
    package let capacity: Int

    package init(start: UnsafeMutableRawPointer, capacity: Int) {
      self.start = start
      self.capacity = capacity
    }
  }

  /// The capacities are multiples of this.
  private static let unit = 16 << 10
  /// Larger ones are mapped by the system one by one, and given back.
  package static let largestBlock = 1 << 20

  // Safe to share: only reached through the lock.
  private struct State: @unchecked Sendable {
    /// By capacity in units, less one.
    var free: [[UnsafeMutableRawPointer]]
    var keptBytes = 0
  }

  private let maximumKeptBytes: Int
  private let state: Locked<State>

  package init(maximumKeptBytes: Int) {
    self.maximumKeptBytes = maximumKeptBytes
    state = Locked(State(free: Array(repeating: [], count: Self.largestBlock / Self.unit)), rank: .bodyMemory)
  }

  deinit {
    state.withLock { state in
      for block in state.free.joined() { block.deallocate() }
    }
  }

  /// Bytes that wait to be used again.
  package var keptBytes: Int { state.withLock { $0.keptBytes } }

  /// A block for at least `count` bytes, of at most ``largestBlock``; nil when there is no memory.
  package func take(atLeast count: Int) -> Block? {
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
  package func recycle(_ block: Block) {
    let isKept = state.withLock { state in
      guard state.keptBytes + block.capacity <= maximumKeptBytes else { return false }
      state.keptBytes += block.capacity
      state.free[block.capacity / Self.unit - 1].append(block.start)
      return true
    }
    if !isKept { free(block.start) }
  }

  /// The first bytes of a block, as data that gives the block back at its end; or a copy, where the block has much more room than
  /// that: data that is kept must not keep empty room.
  package func data(_ block: Block, count: Int) -> Data {
    guard count > Self.smallestShare, count >= block.capacity / 2 else {
      defer { recycle(block) }
      return Data(bytes: block.start, count: count)
    }
    return Data(bytesNoCopy: block.start, count: count, deallocator: .custom { [self] _, _ in recycle(block) })
  }

  /// Data below this length is cheaper copied than shared.
  private static let smallestShare = 4096

  /// Data with a copy of the bytes, in used memory if they are many.
  package func data(copying bytes: UnsafeRawBufferPointer) -> Data {
    guard let start = bytes.baseAddress, bytes.count > Self.unit, bytes.count <= Self.largestBlock,
      let block = take(atLeast: bytes.count)
    else { return Data(bytes) }
    block.start.copyMemory(from: start, byteCount: bytes.count)
    return data(block, count: bytes.count)
  }
}
