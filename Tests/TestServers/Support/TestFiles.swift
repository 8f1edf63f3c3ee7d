import Foundation
import Glibc
internal import URLLoadingBase

/// Bytes that tests can make again at any offset, to compare what was loaded with what was served.
///
/// The bytes repeat with a period that is a prime number above 1 MiB, so that a chunk that is lost, doubled or
/// moved by a power of two cannot go unnoticed, while a gigabyte costs no more than copying.
package enum TestFiles {
  /// The length after which the bytes repeat.
  package static let period = 1_048_583

  private static let blocks = Locked<[UInt64: Data]>([:])

  /// `count` bytes of the pattern `seed`, from `offset` on.
  package static func pattern(count: Int, seed: UInt64 = 1, offset: Int = 0) -> Data {
    let block = block(seed)
    var data = Data(capacity: count)
    var position = offset % period
    while data.count < count {
      let length = min(count - data.count, period - position)
      data.append(block[position..<position + length])
      position = 0
    }
    return data
  }

  /// Writes `count` bytes of the pattern to a file.
  package static func write(count: Int, seed: UInt64 = 1, to file: URL) throws {
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else {
      throw TestServerError.system("create \(file.path)")
    }
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    let block = block(seed)
    var left = count
    while left > 0 {
      let length = min(left, period)
      try handle.write(contentsOf: length == period ? block : block.prefix(length))
      left -= length
    }
  }

  /// Where a file first differs from `count` bytes of the pattern; nil if it does not.
  ///
  /// A file that is too short or too long differs at the shorter of both lengths.
  package static func firstDifference(in file: URL, count: Int, seed: UInt64 = 1) throws -> Int? {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let block = block(seed)
    var position = 0
    while let chunk = try handle.read(upToCount: period), !chunk.isEmpty {
      let expected = block.prefix(min(chunk.count, max(0, count - position)))
      if let difference = firstDifference(chunk, expected) { return position + difference }
      position += chunk.count
    }
    return position == count ? nil : position
  }

  /// The first index at which both differ, counted from 0; nil if they are equal.
  package static func firstDifference(_ one: Data, _ other: Data) -> Int? {
    if one == other { return nil }
    // Halving leaves the comparing to memcmp.
    var low = 0
    var high = min(one.count, other.count)
    while low < high {
      let middle = (low + high) / 2
      if one.dropFirst(low).prefix(middle + 1 - low) == other.dropFirst(low).prefix(middle + 1 - low) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// The first index at which both differ, counted from 0; nil if they are equal.
  package static func firstDifference(_ one: [UInt8], _ other: [UInt8]) -> Int? {
    firstDifference(Data(one), Data(other))
  }

  private static func block(_ seed: UInt64) -> Data {
    if let known = blocks.withLock({ $0[seed] }) { return known }
    var generator = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15)
    let block = generator.bytes(period)
    blocks.withLock { $0[seed] = block }
    return block
  }
}
