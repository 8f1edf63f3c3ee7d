/// The bytes of one block.
// Safe to share: the load that makes a block fills it before it shares it; from then on it is only read.
final class CacheBlock: @unchecked Sendable {
  let memory: UnsafeMutableRawBufferPointer

  init(count: Int) {
    memory = .allocate(byteCount: count, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }
}
