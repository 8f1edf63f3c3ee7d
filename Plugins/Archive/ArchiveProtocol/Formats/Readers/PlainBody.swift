/// A member that is a range of a source.
final class PlainBody: MemberBody {
  private let source: any ByteSource
  private var position: Int64
  /// Where the member ends; nil for the source's end.
  private let end: Int64?

  /// - Parameters:
  ///   - size: nil for all of the source.
  ///   - offset: how many bytes to skip.
  init(source: any ByteSource, position: Int64, size: Int64?, offset: Int64) {
    self.source = source
    let sum = position.addingReportingOverflow(max(offset, 0))
    self.position = sum.overflow ? .max : sum.partialValue
    end = size.map {
      let sum = position.addingReportingOverflow(max($0, 0))
      return sum.overflow ? .max : sum.partialValue
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let wanted = end.map { Int(min(Int64(buffer.count), max($0 - position, 0))) } ?? buffer.count
    guard wanted > 0 else { return 0 }
    let count = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: position)
    if let end, count < wanted {
      throw ArchiveError.damaged("the archive ends \(end - position - Int64(count)) bytes before the member does")
    }
    position += Int64(count)
    return count
  }
}
