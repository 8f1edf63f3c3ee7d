/// The bytes of a source, from a position on. The source may be replaced by another one of the same bytes.
final class SourceOrigin: FeedOrigin {
  var source: (any ByteSource)?
  let isSeekable: Bool
  private let start: Int64

  init(_ source: any ByteSource, start: Int64 = 0, isSeekable: Bool = true) {
    self.source = source
    self.start = start
    self.isSeekable = isSeekable
  }

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
