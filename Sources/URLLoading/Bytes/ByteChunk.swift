/// Immutable bytes at an address that does not move.
///
/// An iterator can keep a pointer into it, which it must not do with the inside of a `Data` or an array.
// Safe to share: the memory is written in `init` alone, before anybody else can see it, and freed in `deinit`.
@usableFromInline
final class ByteChunk: @unchecked Sendable {
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let count: Int

  @usableFromInline static let empty = ByteChunk(copying: Data())

  init(copying data: Data) {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: max(data.count, 1))
    data.copyBytes(to: memory, count: data.count)
    start = UnsafePointer(memory)
    count = data.count
  }

  deinit {
    start.deallocate()
  }
}
