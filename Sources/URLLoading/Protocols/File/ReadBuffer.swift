/// Memory that reads go into. Used by one step of a pump at a time.
// Safe to share: the pump runs its steps one after another.
final class ReadBuffer: @unchecked Sendable {
  private let memory: UnsafeMutableRawPointer

  init(capacity: Int) {
    memory = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit {
    memory.deallocate()
  }

  /// Lets `read` fill up to `count` bytes; again when a signal came between.
  func fill(_ count: Int, _ read: (UnsafeMutableRawPointer) -> Int) -> Int {
    Self.uninterrupted { read(memory) }
  }

  /// Does `read` again when a signal came between.
  static func uninterrupted(_ read: () -> Int) -> Int {
    var result = read()
    while result < 0, errno == EINTR { result = read() }
    return result
  }

  func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: memory, count: count)
  }
}
