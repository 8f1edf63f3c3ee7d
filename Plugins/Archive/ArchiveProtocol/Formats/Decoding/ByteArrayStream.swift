/// Bytes in memory as a stream.
final class ByteArrayStream: ByteStream {
  private let memory: UnsafeMutableRawBufferPointer
  private var isTaken = false

  init(_ bytes: [UInt8]) {
    memory = .allocate(byteCount: bytes.count, alignment: 1)
    memory.copyBytes(from: bytes)
  }

  deinit {
    memory.deallocate()
  }

  var isBroken: Bool { false }

  func next() throws -> UnsafeRawBufferPointer {
    defer { isTaken = true }
    return isTaken ? UnsafeRawBufferPointer(start: nil, count: 0) : UnsafeRawBufferPointer(memory)
  }
}
