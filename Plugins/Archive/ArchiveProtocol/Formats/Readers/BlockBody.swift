/// A member that libarchive decodes, from its reader at that member.
///
/// Gaps between blocks and behind the last one are zero bytes in sparse files, and damage elsewhere.
final class BlockBody: MemberBody {
  private let handle: LibarchiveHandle
  private let size: Int64?
  private let isSparse: Bool
  private let checksum: UInt32?
  private var running = RunningChecksum()
  private let limits: FormatLimits
  private let whenWhole: (() -> Void)?
  /// How many of the member's bytes were given or left out.
  private var position: Int64 = 0
  private var leaveOut: Int64
  private var block: LibarchiveHandle.Block?
  private var isAtEnd = false
  private var hasEnded = false
  private var failure: (any Error)?

  /// - Parameters:
  ///   - checksum: of all bytes, where libarchive does not check it.
  ///   - whenWhole: told once, when the member was read to its end, and the handle may go on.
  init(
    _ handle: LibarchiveHandle, size: Int64?, isSparse: Bool = false, checksum: UInt32? = nil, offset: Int64,
    limits: FormatLimits, whenWhole: (() -> Void)? = nil
  ) {
    self.handle = handle
    self.size = size
    self.isSparse = isSparse
    self.checksum = checksum
    self.limits = limits
    self.whenWhole = whenWhole
    leaveOut = max(offset, 0)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if let failure { throw failure }
    do {
      while true {
        let known = try fill()
        guard known > 0 else { return 0 }
        let skipped = min(leaveOut, known)
        if skipped > 0 {
          leaveOut -= skipped
          move(by: skipped)
          continue
        }
        guard !buffer.isEmpty else { return 0 }
        let count = Int(min(Int64(buffer.count), known))
        copy(count, to: buffer)
        move(by: Int64(count))
        return count
      }
    } catch {
      failure = SourceFailure.unwrap(error)
      throw SourceFailure.unwrap(error)
    }
  }

  /// How many bytes are known from `position` on, zeros or the block's; 0 at the end.
  private func fill() throws -> Int64 {
    while !isAtEnd, block == nil {
      guard let next = try handle.nextBlock() else {
        isAtEnd = true
        break
      }
      let (end, overflow) = next.offset.addingReportingOverflow(Int64(next.bytes.count))
      guard next.offset >= position, isSparse || next.offset == position, !overflow, end <= size ?? .max else {
        throw ArchiveError.damaged("the member has other bytes than its header says")
      }
      try limits.checkRatio(decoded: end, packed: handle.feed.fetchedCount)
      if checksum != nil { running.add(next.bytes) }
      if end > position { block = next }
    }
    if let block {
      let gap = block.offset - position
      return gap > 0 ? gap : block.offset + Int64(block.bytes.count) - position
    }
    if let size, size > position {
      if isSparse { return size - position }
      throw ArchiveError.damaged("the member has \(position) bytes, but its header says \(size)")
    }
    try running.check(checksum)
    whenEnd()
    return 0
  }

  private func whenEnd() {
    guard !hasEnded else { return }
    hasEnded = true
    whenWhole?()
  }

  private func copy(_ count: Int, to buffer: UnsafeMutableRawBufferPointer) {
    let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    if let block, block.offset <= position {
      let start = Int(position - block.offset)
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: block.bytes[start..<(start + count)]))
    } else {
      target.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  private func move(by count: Int64) {
    position += count
    if let current = block, position >= current.offset + Int64(current.bytes.count) { block = nil }
  }
}
