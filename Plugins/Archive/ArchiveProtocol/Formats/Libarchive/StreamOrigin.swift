/// The bytes of a stream, one after another.
final class StreamOrigin: FeedOrigin {
  private let stream: any ByteStream
  private var pending = UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ stream: any ByteStream) {
    self.stream = stream
  }

  var isBroken: Bool { stream.isBroken }

  func fetch(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws -> Int {
    if pending.isEmpty { pending = try stream.next() }
    let count = min(buffer.count, pending.count)
    guard count > 0 else { return 0 }
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: pending[..<count]))
    pending = UnsafeRawBufferPointer(rebasing: pending[count...])
    return count
  }
}
