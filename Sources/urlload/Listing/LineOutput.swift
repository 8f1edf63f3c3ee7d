import Foundation
internal import URLLoadingBase

/// Lines on standard output, written in batches.
struct LineOutput {
  /// Bytes.
  private static let largestPiece = 32 << 10
  /// Seconds.
  private static let longestWait = 0.2

  private let writesAtOnce: Bool
  private var piece: [UInt8] = []
  private var lastWrite = MonotonicInstant.now

  /// - Parameter writesAtOnce: whether each line is written as it comes, as on a terminal.
  init(writesAtOnce: Bool) {
    self.writesAtOnce = writesAtOnce
  }

  /// Writes a line, now or soon.
  mutating func write(_ line: [UInt8]) throws(Failure) {
    piece += line
    piece.append(UInt8(ascii: "\n"))
    if writesAtOnce || piece.count >= Self.largestPiece || lastWrite.seconds(to: .now) > Self.longestWait {
      try flush()
    }
  }

  /// Writes the batch.
  mutating func flush() throws(Failure) {
    defer {
      piece.removeAll(keepingCapacity: true)
      lastWrite = .now
    }
    try DescriptorWriter.write(piece, to: STDOUT_FILENO, "standard output")
  }
}
