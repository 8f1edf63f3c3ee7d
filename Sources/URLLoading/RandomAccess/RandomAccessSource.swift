/// Where the bytes of a ``RandomAccessResource`` come from.
protocol RandomAccessSource: AnyObject, Sendable {
  /// The resource, for messages.
  var url: URL { get }

  var length: Int64 { get }

  /// Whether ``advance(_:into:)`` may wait for a disk. It never waits for a network.
  var waitsForDisk: Bool { get }

  /// Adds a reader, whose reads may be sequential.
  func addStream() -> Int

  func removeStream(_ stream: Int)

  /// Begins to read some bytes, at least one.
  func begin(_ bytes: Range<Int64>, stream: Int, handle: ReadHandle) throws -> RunningRead

  /// Copies available bytes to their place behind `destination`, and advances the read's position.
  func advance(_ read: inout RunningRead, into destination: UnsafeMutableRawPointer) throws -> ReadStep

  /// Ends a read early.
  func abandon(_ read: RunningRead)

  /// Makes waiting reads and all later ones fail, and frees memory.
  func close()
}

/// For sources without read-ahead.
extension RandomAccessSource {
  func addStream() -> Int { 0 }
  func removeStream(_ stream: Int) {}

  func begin(_ bytes: Range<Int64>, stream: Int, handle: ReadHandle) throws -> RunningRead {
    RunningRead(bytes: bytes, handle: handle)
  }
}

/// A read that has begun.
struct RunningRead: Sendable {
  let number: Int
  let bytes: Range<Int64>
  let handle: ReadHandle
  /// The next byte to copy.
  var position: Int64

  init(number: Int = 0, bytes: Range<Int64>, handle: ReadHandle) {
    self.number = number
    self.bytes = bytes
    self.handle = handle
    position = bytes.lowerBound
  }

  var isComplete: Bool { position == bytes.upperBound }
}

/// What a read does next.
enum ReadStep {
  case finished
  /// There may be more at once.
  case more
  /// Wait until the read's handle is resumed.
  case wait
}
