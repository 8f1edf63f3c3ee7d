/// Where the bytes of a ``RandomAccessResource`` come from.
protocol RandomAccessSource: AnyObject, Sendable {
  /// The resource, for messages.
  var url: URL { get }

  var length: Int64 { get }

  /// Whether ``advance(_:into:)`` may wait for a disk. It never waits for a network.
  var waitsForDisk: Bool { get }

  /// A reader comes, whose reads may be sequential.
  func addStream() -> Int

  /// A reader goes.
  func removeStream(_ stream: Int)

  /// Begins to read some bytes of the resource, of which there is at least one.
  func begin(_ bytes: Range<Int64>, stream: Int, handle: ReadHandle) throws -> RunningRead

  /// Copies what is there to its place behind `destination`, and moves the read's position.
  func advance(_ read: inout RunningRead, into destination: UnsafeMutableRawPointer) throws -> ReadStep

  /// Ends a read that has not got everything.
  func abandon(_ read: RunningRead)

  /// Makes reads that wait and all later ones fail, and gives back what the source holds.
  func close()
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
  /// The read's handle will be woken.
  case wait
}
