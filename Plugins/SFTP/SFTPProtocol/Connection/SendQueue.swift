/// Bytes on their way to the socket, in one block of memory that grows to what is needed.
///
/// libssh2 puts whole packets here and so never has a partly sent one, which it could only go on with from the same buffer; and
/// many packets leave by one system call.
///
/// Mutable state: all of it, confined to the connection's thread.
final class SendQueue {
  private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var head = 0
  private var tail = 0

  deinit {
    storage.deallocate()
  }

  var count: Int { tail - head }

  var isEmpty: Bool { head == tail }

  /// What has to be sent; valid until the next change.
  var front: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[head..<tail]) }

  func append(_ bytes: UnsafeRawBufferPointer) {
    if storage.count - tail < bytes.count { makeRoom(for: bytes.count) }
    UnsafeMutableRawBufferPointer(rebasing: storage[tail..<(tail + bytes.count)]).copyMemory(from: bytes)
    tail += bytes.count
  }

  func removeFirst(_ count: Int) {
    head += min(count, self.count)
    if head == tail {
      head = 0
      tail = 0
    }
  }

  private func makeRoom(for more: Int) {
    let count = count
    if storage.count >= 2 * (count + more) {
      storage.copyMemory(from: front)
    } else {
      let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * (count + more), alignment: 16)
      larger.copyMemory(from: front)
      storage.deallocate()
      storage = larger
    }
    head = 0
    tail = count
  }
}
