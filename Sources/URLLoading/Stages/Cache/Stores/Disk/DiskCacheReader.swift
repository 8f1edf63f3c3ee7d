import Foundation
internal import URLLoadingBase
internal import URLLoadingCLinux

/// Reads a body from its file, which stays readable when its entry goes. No byte is given away of a block that is damaged.
///
/// Mutable state: none; reads name their positions.
final class DiskCacheReader: URLCacheReader {
  /// Why a body cannot be read: it is gone, or damaged.
  struct Failure: LocalizedError {
    let errorDescription: String?
  }

  /// Bytes at the start of a range that are checked before anything of it is given away: a few milliseconds. To check all of a large
  /// body first would have its load wait for as long as the disk needs for it.
  private static let checkedAhead: Int64 = 4 << 20

  let length: Int64
  private let descriptor: Int32
  private let sums: BlockSums
  private let whenDamaged: @Sendable () -> Void

  /// Nil where the file cannot be opened at the moment, which says nothing of the body.
  /// - Parameter whenDamaged: called for each block that is damaged or cannot be read, on the thread that reads it.
  /// - Throws: where there is no such file, or it has another length.
  init?(
    path: String, length: Int64, sums: BlockSums, whenDamaged: @escaping @Sendable () -> Void = {}
  ) throws(Failure) {
    self.length = length
    self.sums = sums
    self.whenDamaged = whenDamaged
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      guard Self.isLost(errno) else { return nil }
      throw Failure(errorDescription: "The stored body is gone.")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    guard Int64(status.st_size) == length else {
      throw Failure(errorDescription: "The stored body has \(status.st_size) bytes in place of \(length).")
    }
  }

  /// Whether a failure to open a file means that the body is gone. A lack of descriptors or memory is transient, and so may an error of the
  /// disk be.
  static func isLost(_ reason: Int32) -> Bool {
    // Neither a link nor a file in the place of the folder is the store's.
    [ENOENT, ENOTDIR, ELOOP].contains(reason)
  }

  // Also of one that could not be made.
  deinit { if descriptor >= 0 { close(descriptor) } }

  /// All bytes, of a body of at most `BodyMemory.largestBlock`; nil without memory for them.
  /// - Throws: where they are damaged or cannot be read.
  func whole() throws -> Data? { try data { try read(into: $0, at: 0) == length } }

  /// As ``whole()``, from the page cache; nil where that does not have all of them.
  func wholeAtOnce() throws -> Data? {
    let flags = immediate_read_flags(descriptor)
    guard flags >= 0 else { return nil }
    return try data { buffer in
      guard immediate_read(descriptor, buffer.baseAddress, buffer.count, 0, flags) == buffer.count else { return false }
      try check(UnsafeRawBufferPointer(buffer))
      return true
    }
  }

  /// - Parameter fill: fills memory for all bytes; returns false where it could not.
  private func data(_ fill: (UnsafeMutableRawBufferPointer) throws -> Bool) throws -> Data? {
    guard let block = BodyMemory.shared.take(atLeast: Int(length)) else { return nil }
    do {
      let isFilled = try fill(UnsafeMutableRawBufferPointer(start: block.start, count: Int(length)))
      if isFilled { return BodyMemory.shared.data(block, count: Int(length)) }
      BodyMemory.shared.recycle(block)
      return nil
    } catch {
      BodyMemory.shared.recycle(block)
      throw error
    }
  }

  /// Checks all blocks of the body.
  private func check(_ contents: UnsafeRawBufferPointer) throws {
    var position: Int64 = 0
    while position < length {
      let block = sums.block(at: position)
      let bytes = contents[Int(block.range.lowerBound)..<Int(block.range.upperBound)]
      guard sums.match(UnsafeRawBufferPointer(rebasing: bytes), of: block) else { throw failure(at: block, "damaged") }
      position = block.range.upperBound
    }
  }

  /// Checks the first megabytes of a range.
  /// - Throws: where they are damaged or cannot be read.
  func check(_ range: Range<Int64>) throws {
    let end = min(range.upperBound, range.lowerBound + Self.checkedAhead, length)
    var position = range.lowerBound
    guard position < end else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlockSums.blockLength, alignment: 1)
    defer { buffer.deallocate() }
    while position < end {
      let block = sums.block(at: position)
      try read(block, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<block.range.count]))
      position = block.range.upperBound
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    guard (0..<length).contains(position) else { return 0 }
    let count = Int(min(Int64(buffer.count), length - position))
    var filled = 0
    while filled < count {
      let start = position + Int64(filled)
      let block = sums.block(at: start)
      let wanted = Int(min(block.range.upperBound - start, Int64(count - filled)))
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + wanted])
      if wanted == block.range.count {
        try read(block, into: target)
      } else {
        try read(block, from: Int(start - block.range.lowerBound), into: target)
      }
      filled += wanted
    }
    return count
  }

  /// Reads a part of a block, which has to be read as a whole to be checked.
  private func read(_ block: BlockSums.Block, from offset: Int, into target: UnsafeMutableRawBufferPointer) throws {
    let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: block.range.count, alignment: 1)
    defer { whole.deallocate() }
    try read(block, into: whole)
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: whole[offset..<offset + target.count]))
  }

  private func read(_ block: BlockSums.Block, into target: UnsafeMutableRawBufferPointer) throws {
    let count = DescriptorIO.read(into: target, from: descriptor, at: block.range.lowerBound)
    let message = count < 0 ? String(cString: strerror(errno)) : "damaged"
    guard count == target.count, sums.match(UnsafeRawBufferPointer(target), of: block) else {
      throw failure(at: block, message)
    }
  }

  private func failure(at block: BlockSums.Block, _ reason: String) -> Failure {
    whenDamaged()
    return Failure(
      errorDescription: "The stored body cannot be read from byte \(block.range.lowerBound) on (\(reason)).")
  }
}
