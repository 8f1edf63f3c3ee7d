import Foundation

/// Lines on standard output, written in batches.
struct LineOutput {
  /// Bytes.
  private static let largestPiece = 32 << 10
  /// Milliseconds.
  private static let longestWait = 200

  private let writesAtOnce: Bool
  private var piece: [UInt8] = []
  private var lastWrite = LineOutput.now

  /// - Parameter writesAtOnce: whether each line is written as it comes, as on a terminal.
  init(writesAtOnce: Bool) {
    self.writesAtOnce = writesAtOnce
  }

  /// Milliseconds, by the coarse clock: it is read with every line.
  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int(time.tv_sec) * 1000 + Int(time.tv_nsec) / 1_000_000
  }

  /// Writes a line, now or soon.
  mutating func write(_ line: [UInt8]) throws(Failure) {
    piece += line
    piece.append(UInt8(ascii: "\n"))
    if writesAtOnce || piece.count >= Self.largestPiece || Self.now - lastWrite > Self.longestWait {
      try flush()
    }
  }

  /// Writes the batch.
  mutating func flush() throws(Failure) {
    defer {
      piece.removeAll(keepingCapacity: true)
      lastWrite = Self.now
    }
    try DescriptorWriter.write(piece, to: STDOUT_FILENO, "standard output")
  }
}
