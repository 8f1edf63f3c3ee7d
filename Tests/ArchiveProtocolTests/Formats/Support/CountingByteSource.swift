import URLLoadingBase

@testable import ArchiveProtocol

/// Counts what is read from another source.
///
/// Mutable state: `counts`, guarded by its own lock.
final class CountingByteSource: ByteSource {
  struct Counts {
    var bytes: Int64 = 0
    var reads = 0
  }

  private let source: any ByteSource
  private let counts = Locked(Counts())

  init(_ source: any ByteSource) {
    self.source = source
  }

  var length: Int64? { source.length }
  var cancellation: Cancellation { source.cancellation }
  var count: Int64 { counts.withLock { $0.bytes } }

  func reset() {
    counts.withLock { $0 = Counts() }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    let count = try source.read(into: buffer, at: position)
    counts.withLock {
      $0.bytes += Int64(count)
      $0.reads += 1
    }
    return count
  }
}
