import Glibc

/// Bytes on their way out, in one block of memory that grows as needed. What ``front`` gives stays in place until more is appended:
/// libssh2 continues a partly sent packet from the same buffer.
///
/// Mutable state: all of it, confined to the thread of its owner.
final class SendQueue {
  private var storage: UnsafeMutableRawBufferPointer
  private var head = 0
  private var tail = 0

  init(capacity: Int = 64 << 10) {
    storage = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit {
    storage.deallocate()
  }

  var count: Int { tail - head }

  var isEmpty: Bool { head == tail }

  var front: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[head..<tail]) }

  func append(_ bytes: UnsafeRawBufferPointer) { addRoom(bytes.count).copyMemory(from: bytes) }

  /// Appends a number, its highest byte first.
  func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { append($0) }
  }

  /// Appends a length of four bytes and the bytes, which are far fewer than the length can say.
  func append(string bytes: some Collection<UInt8>) {
    append(UInt32(clamping: bytes.count))
    addRoom(bytes.count).copyBytes(from: bytes)
  }

  /// Sends as much as a socket takes that does not block.
  /// - Returns: the system's error where the socket has failed.
  func send(to descriptor: Int32) -> Int32? {
    while !isEmpty {
      let count = Glibc.send(descriptor, front.baseAddress, self.count, Int32(MSG_NOSIGNAL))
      if count > 0 {
        removeFirst(count)
      } else if errno != EINTR {
        return errno == EAGAIN ? nil : errno
      }
    }
    return nil
  }

  /// Removes bytes that were sent; all of them if `count` is larger.
  func removeFirst(_ count: Int) {
    head += min(max(0, count), self.count)
    if head == tail { removeAll() }
  }

  func removeAll() {
    head = 0
    tail = 0
  }

  private func addRoom(_ more: Int) -> UnsafeMutableRawBufferPointer {
    if storage.count - tail < more { makeRoom(for: more) }
    defer { tail += more }
    return UnsafeMutableRawBufferPointer(rebasing: storage[tail..<tail + more])
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
