/// Memory that packets are written to, one after another, and sent from. What was written stays where it is until all of it
/// was sent.
///
/// Mutable state: all; confined to whoever owns the buffer.
final class OutgoingBuffer {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var sentCount = 0
  private var writtenCount = 0

  init(capacity: Int = 64 << 10) {
    self.capacity = max(64, capacity)
    memory = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit {
    memory.deallocate()
  }

  /// What was written and not sent.
  var unsent: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory + sentCount, count: writtenCount - sentCount)
  }

  var isEmpty: Bool { sentCount == writtenCount }

  /// Bytes that were written since the buffer was empty.
  var count: Int { writtenCount }

  /// So many bytes of ``unsent`` were sent; more than there are count as all.
  func didSend(_ count: Int) {
    sentCount += min(max(0, count), writtenCount - sentCount)
    guard isEmpty else { return }
    sentCount = 0
    writtenCount = 0
  }

  /// Forgets what was not sent.
  func removeAll() {
    sentCount = 0
    writtenCount = 0
  }

  // MARK: Writing

  func append(_ value: UInt8) {
    reserve(1)
    memory.storeBytes(of: value, toByteOffset: writtenCount, as: UInt8.self)
    writtenCount += 1
  }

  func append(_ value: UInt32) {
    reserve(4)
    (memory + writtenCount).storeBytes(of: value.bigEndian, as: UInt32.self)
    writtenCount += 4
  }

  func append(_ value: UInt64) {
    reserve(8)
    (memory + writtenCount).storeBytes(of: value.bigEndian, as: UInt64.self)
    writtenCount += 8
  }

  /// A string: its length, then its bytes. The caller has checked that the packet is not too long.
  func append(string bytes: some Collection<UInt8>) {
    append(UInt32(clamping: bytes.count))
    reserve(bytes.count)
    let room = UnsafeMutableRawBufferPointer(start: memory + writtenCount, count: bytes.count)
    room.copyBytes(from: bytes)
    writtenCount += bytes.count
  }

  private func reserve(_ count: Int) {
    guard writtenCount + count > capacity else { return }
    capacity = max(capacity * 2, writtenCount + count)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: memory, byteCount: writtenCount)
    memory.deallocate()
    memory = larger
  }
}
