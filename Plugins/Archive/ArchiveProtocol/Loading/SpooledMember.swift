import Foundation
internal import URLLoadingBase

/// A member that is decoded once into a temporary file, as far as it was read. Several readers share it; when the one that decodes
/// is cancelled, the spool is broken.
///
/// Mutable state: `decoded`, guarded by its lock; `body`, used only inside a step of `progress`, of which there is one at a time.
// Safe to share: see above.
final class SpooledMember: @unchecked Sendable {
  private static let stepSize = 256 << 10

  private let progress = SharedProgress()
  private let decoded = Locked<Int64>(0)
  private let source: StandInSource
  private let body: any MemberBody
  private let file: SpoolFile
  private let limit: Int64

  /// - Parameters:
  ///   - limit: decoded bytes.
  ///   - open: makes the body over the source that it gets.
  init(
    directory: String, limit: Int64, reading source: any ByteSource, open: (any ByteSource) throws -> any MemberBody
  ) throws {
    self.limit = limit
    self.source = StandInSource(source)
    file = try SpoolFile(directory: directory)
    body = try open(self.source)
  }

  var isBroken: Bool { progress.hasFailed }

  /// Reads decoded bytes, which are decoded first where necessary.
  /// - Parameter source: the archive's bytes, for this reader.
  /// - Returns: how many; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64, source: any ByteSource) throws -> Int {
    let end = position + Int64(buffer.count)
    try progress.advance(
      for: source, until: { decoded.withLock { $0 } >= end }, step: { try self.source.with(source, step) })
    return try file.read(into: buffer, at: position)
  }

  private func step() throws -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.stepSize, alignment: 16)
    defer { buffer.deallocate() }
    let position = decoded.withLock { $0 }
    let count = try body.read(into: buffer)
    guard position + Int64(count) <= limit else {
      throw ArchiveError.limitExceeded(
        what: "the decoded bytes in a temporary file", limit: limit, property: "maximumSpooledBytes")
    }
    try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: position)
    decoded.withLock { $0 += Int64(count) }
    return count > 0
  }
}

/// Stands for the source of the reader that decodes.
///
/// Mutable state: `current`, guarded by its lock.
private final class StandInSource: ByteSource {
  private let current: Locked<any ByteSource>

  init(_ source: any ByteSource) { current = Locked(source) }

  var length: Int64? { current.withLock { $0 }.length }
  var cancellation: Cancellation { current.withLock { $0 }.cancellation }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    try current.withLock { $0 }.read(into: buffer, at: position)
  }

  func with<Result>(_ source: any ByteSource, _ body: () throws -> Result) rethrows -> Result {
    current.withLock { $0 = source }
    return try body()
  }
}
