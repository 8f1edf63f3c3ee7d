/// The bytes of a source, from a position on. The source may be replaced by another one of the same bytes.
final class SourceOrigin: FeedOrigin {
  var source: (any ByteSource)?
  let isSeekable: Bool
  private let start: Int64
  private let head: [UInt8]

  /// - Parameter head: the first bytes of the source, where they are known, and not to be read again.
  init(_ source: any ByteSource, start: Int64 = 0, isSeekable: Bool = true, head: [UInt8] = []) {
    self.source = source
    self.start = start
    self.isSeekable = isSeekable
    self.head = head
  }

  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    let (sum, overflow) = start.addingReportingOverflow(position)
    guard !overflow, sum >= 0 else { return 0 }
    if sum < head.count {
      let known = head[Int(sum)...].prefix(buffer.count)
      buffer.copyBytes(from: known)
      return known.count
    }
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
