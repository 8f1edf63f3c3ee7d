import Foundation
import URLLoading

/// A member that is decoded into a temporary file without a name, as far as somebody has asked for, and never twice.
///
/// One reader at a time decodes; others wait for it.
///
/// Mutable state: `state`, guarded by `condition`; `body`, used by the thread of `state.decoder`.
// Safe to share: see above.
final class SpooledMember: @unchecked Sendable {
  private struct State {
    var decoded: Int64 = 0
    /// Whose thread decodes now.
    var decoder: URLProtocolGate?
    var isWhole = false
    var failure: (any Error)?
  }

  private static let stepSize = 256 << 10

  private let condition = NSCondition()
  private var state = State()
  private let body: any MemberBody
  private let source: any ByteSource
  private let file: SpoolFile
  private let limit: Int64

  init(_ body: any MemberBody, source: any ByteSource, directory: String, limit: Int64) throws {
    self.body = body
    self.source = source
    self.limit = limit
    file = try SpoolFile(directory: directory)
  }

  /// Decoding failed, or its reader left.
  var isBroken: Bool {
    condition.lock()
    defer { condition.unlock() }
    return state.failure != nil
  }

  /// Reads decoded bytes; decodes up to them first where that is still to be done.
  /// - Returns: how many; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64, gate: URLProtocolGate) throws -> Int {
    try decode(upTo: position + Int64(buffer.count), gate)
    return try file.read(into: buffer, at: position)
  }

  private func decode(upTo end: Int64, _ gate: URLProtocolGate) throws {
    gate.whenEnded { [weak self] in self?.wakeAll() }
    condition.lock()
    while true {
      if let failure = state.failure {
        condition.unlock()
        throw failure
      }
      if gate.hasEnded {
        condition.unlock()
        throw ArchiveError.cancelled
      }
      if state.isWhole || state.decoded >= end {
        condition.unlock()
        return
      }
      if state.decoder == nil { break }
      condition.wait()
    }
    state.decoder = gate
    let start = state.decoded
    condition.unlock()
    // A reader that leaves takes its decoding along; the next one begins anew.
    gate.whenEnded { [weak self, weak gate] in self?.abandon(gate) }
    let result = Result { try step(from: start, to: end, gate) }
    condition.lock()
    state.decoder = nil
    if case .failure(let error) = result { state.failure = error }
    condition.broadcast()
    condition.unlock()
    try result.get()
  }

  private func step(from start: Int64, to end: Int64, _ gate: URLProtocolGate) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.stepSize, alignment: 16)
    defer { buffer.deallocate() }
    var position = start
    while position < end {
      let count = try body.read(into: buffer)
      guard count > 0 else {
        advance(to: position, isWhole: true)
        return
      }
      guard position + Int64(count) <= limit else {
        throw ArchiveError.limitExceeded(
          what: "the decoded bytes in a temporary file", limit: limit, property: "maximumSpooledBytes")
      }
      try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: position)
      position += Int64(count)
      advance(to: position, isWhole: false)
      if gate.hasEnded { throw ArchiveError.cancelled }
    }
  }

  private func advance(to position: Int64, isWhole: Bool) {
    condition.lock()
    state.decoded = position
    state.isWhole = isWhole
    condition.broadcast()
    condition.unlock()
  }

  private func abandon(_ gate: URLProtocolGate?) {
    condition.lock()
    let isItsOwn = gate != nil && state.decoder === gate
    condition.unlock()
    if isItsOwn { source.cancel() }
  }

  private func wakeAll() {
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }
}
