/// The bytes of a member as a stream.
final class BodyStream: ByteStream {
  private(set) var isBroken = false
  private let body: any MemberBody
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

  init(_ body: any MemberBody) { self.body = body }

  deinit { buffer.deallocate() }

  func next() throws -> UnsafeRawBufferPointer {
    isBroken = true
    let count = try body.read(into: buffer)
    isBroken = false
    return UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }
}
