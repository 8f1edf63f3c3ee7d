@testable import ArchiveProtocol

/// A source that cannot give what stands after a position.
final class FailingByteSource: ByteSource {
  struct Failure: Error {}

  let cancellation = Cancellation()
  private let source: any ByteSource
  private let first: Int64

  init(_ source: any ByteSource, from first: Int64) {
    self.source = source
    self.first = first
  }

  var length: Int64? { source.length }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    if position + Int64(buffer.count) > first { throw Failure() }
    return try source.read(into: buffer, at: position)
  }
}
