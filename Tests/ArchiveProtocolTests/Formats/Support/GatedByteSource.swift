import Foundation

@testable import ArchiveProtocol

/// A source that makes reads after a position wait until it is cancelled or opened.
///
/// Mutable state: `isOpen` and `waiting`, guarded by `condition`.
// Safe to share: see above.
final class GatedByteSource: ByteSource, @unchecked Sendable {
  let cancellation = Cancellation()
  private let source: any ByteSource
  private let gate: Int64
  private let condition = NSCondition()
  private var isOpen = false
  private var waiting = 0

  init(_ source: any ByteSource, gate: Int64) {
    self.source = source
    self.gate = gate
    cancellation.onCancel { [weak self] in self?.wakeAll() }
  }

  var length: Int64? { source.length }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    try wait(at: position + Int64(buffer.count))
    return try source.read(into: buffer, at: position)
  }

  private func wait(at end: Int64) throws {
    condition.lock()
    defer { condition.unlock() }
    if end > gate {
      waiting += 1
      condition.broadcast()
      while !isOpen, !cancellation.isCancelled { condition.wait() }
      waiting -= 1
    }
    try checkCancellation()
  }

  func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }

  private func wakeAll() {
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }

  /// Waits until a read waits.
  /// - Returns: false when none did in 30 seconds.
  func waitForReader() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let limit = Date(timeIntervalSinceNow: 30)
    while waiting == 0 {
      if !condition.wait(until: limit) { return false }
    }
    return true
  }
}
