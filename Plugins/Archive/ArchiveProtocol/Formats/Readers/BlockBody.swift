/// A member that libarchive decodes, from a handle that has just read its header.
///
/// Gaps between blocks and after the last one are zero bytes in sparse files, and damage elsewhere. The end is verified with the
/// last byte: where all of the bytes come with one read, no damaged member looks whole.
final class BlockBody: MemberBody {
  private let handle: LibarchiveHandle
  private let size: Int64?
  private let isSparse: Bool
  private let checksum: UInt32?
  private var running = RunningChecksum()
  private let limits: ArchiveConfiguration?
  private let canEndWithError: Bool
  private var whenWhole: (() -> Void)?
  /// How many of the member's bytes were read or skipped.
  private var position: Int64 = 0
  private var leaveOut: Int64
  private var block: LibarchiveHandle.Block?
  private var isAtEnd = false
  private var failure: (any Error)?

  /// - Parameters:
  ///   - checksum: of all bytes, where libarchive 3.6 does not check it.
  ///   - limits: nil where the ratio of decoded to packed bytes is known to be allowed.
  ///   - canEndWithError: whether an error after the last byte counts as the end, if size and checksum are right.
  ///   - whenWhole: called once, when the member was read to its end and the handle is free for the next one.
  init(
    _ handle: LibarchiveHandle, size: Int64?, isSparse: Bool = false, checksum: UInt32? = nil, offset: Int64,
    limits: ArchiveConfiguration?, canEndWithError: Bool = false, whenWhole: (() -> Void)? = nil
  ) {
    self.handle = handle
    self.size = size
    self.isSparse = isSparse
    self.checksum = checksum
    self.limits = limits
    self.canEndWithError = canEndWithError
    self.whenWhole = whenWhole
    leaveOut = max(offset, 0)
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if let failure { throw failure }
    do {
      var filled = 0
      while filled < buffer.count, case let known = try fill(), known > 0 {
        let skipped = min(leaveOut, known)
        leaveOut -= skipped
        position += skipped
        let count = Int(min(Int64(buffer.count - filled), known - skipped))
        copy(count, to: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<(filled + count)]))
        position += Int64(count)
        filled += count
        if let block, position >= block.offset + Int64(block.bytes.count) { self.block = nil }
      }
      if position == size, block == nil { _ = try fill() }
      return filled
    } catch {
      failure = SourceFailure.unwrap(error)
      throw SourceFailure.unwrap(error)
    }
  }

  /// How many bytes are known from `position` on, zeros or the block's; 0 at the end.
  private func fill() throws -> Int64 {
    while !isAtEnd, block == nil {
      guard let next = try nextBlock() else {
        isAtEnd = true
        break
      }
      let (end, overflow) = next.offset.addingReportingOverflow(Int64(next.bytes.count))
      guard next.offset >= position, isSparse || next.offset == position, !overflow, end <= size ?? .max else {
        throw ArchiveError.damaged("the member has other bytes than its header says")
      }
      try limits?.check(memberSize: end, compressedSize: handle.feed.fetchedCount)
      if checksum != nil { running.add(next.bytes) }
      if end > position { block = next }
    }
    if let block {
      let gap = block.offset - position
      return gap > 0 ? gap : block.offset + Int64(block.bytes.count) - position
    }
    if let size, size > position {
      if isSparse {
        try limits?.checkRatio(decoded: size, packed: handle.feed.fetchedCount)
        return size - position
      }
      throw ArchiveError.damaged("the member has \(position) bytes, but its header says \(size)")
    }
    try running.check(checksum)
    whenWhole?()
    whenWhole = nil
    return 0
  }

  private func nextBlock() throws -> LibarchiveHandle.Block? {
    do {
      return try handle.nextBlock()
    } catch {
      guard canEndWithError, position == size, running.value == checksum else { throw error }
      return nil
    }
  }

  private func copy(_ count: Int, to target: UnsafeMutableRawBufferPointer) {
    if let block, block.offset <= position {
      let start = Int(position - block.offset)
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: block.bytes[start..<(start + count)]))
    } else {
      target.initializeMemory(as: UInt8.self, repeating: 0)
    }
  }
}
