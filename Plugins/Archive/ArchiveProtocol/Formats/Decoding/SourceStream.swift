/// A source's bytes from the first to the last. The source can be exchanged on the way.
final class SourceStream: ByteStream {
  var source: (any ByteSource)?
  private(set) var position: Int64 = 0
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

  deinit {
    buffer.deallocate()
  }

  var isBroken: Bool { false }

  func next() throws -> UnsafeRawBufferPointer {
    guard let source else { throw SourceFailure(underlying: ArchiveError.cancelled) }
    do {
      let count = try source.read(into: buffer, at: position)
      position += Int64(count)
      return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    } catch {
      throw SourceFailure(underlying: error)
    }
  }
}
