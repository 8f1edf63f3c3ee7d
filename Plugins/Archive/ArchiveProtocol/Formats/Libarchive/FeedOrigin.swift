/// Where a ``LibarchiveFeed`` gets its bytes.
protocol FeedOrigin: AnyObject {
  /// Whether bytes can be fetched at any position; else only one after another.
  var isSeekable: Bool { get }

  /// Fetches some bytes.
  /// - Returns: how many; 0 at the end.
  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int

  func findLength() throws -> Int64
}

/// The bytes of a source, from a position on. The source may be exchanged for another one of the same bytes.
final class SourceOrigin: FeedOrigin {
  var source: (any ByteSource)?
  let start: Int64

  init(_ source: (any ByteSource)?, start: Int64 = 0) {
    self.source = source
    self.start = start
  }

  var isSeekable: Bool { true }

  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    let (sum, overflow) = start.addingReportingOverflow(position)
    guard !overflow, sum >= 0 else { return 0 }
    return try withSource { try $0.read(into: buffer, at: sum) }
  }

  func findLength() throws -> Int64 {
    max(try withSource { try $0.findLength() } - start, 0)
  }

  private func withSource<Result>(_ body: (any ByteSource) throws -> Result) throws -> Result {
    guard let source else { throw SourceFailure(underlying: ArchiveError.cancelled) }
    do {
      return try body(source)
    } catch {
      throw SourceFailure(underlying: error)
    }
  }
}

/// The bytes of a stream, one after another.
final class StreamOrigin: FeedOrigin {
  private let stream: any ByteStream
  private var pending = UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ stream: any ByteStream) {
    self.stream = stream
  }

  var isSeekable: Bool { false }

  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    if pending.isEmpty { pending = try stream.next() }
    let count = min(buffer.count, pending.count)
    guard count > 0 else { return 0 }
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: pending[..<count]))
    pending = UnsafeRawBufferPointer(rebasing: pending[count...])
    return count
  }

  func findLength() throws -> Int64 {
    throw ArchiveError.unsupported("the length of a stream")
  }
}
