import Foundation

/// Lines on standard output, gathered to larger pieces.
struct LineOutput {
  private static let largestPiece = 32 << 10
  private static let longestWait = Duration.milliseconds(200)

  private let writesAtOnce: Bool
  private var piece = Data()
  private var lastWrite = ContinuousClock.now

  /// - Parameter writesAtOnce: whether somebody looks at each line.
  init(writesAtOnce: Bool) {
    self.writesAtOnce = writesAtOnce
  }

  /// Writes a line, now or soon.
  mutating func write(_ line: [UInt8]) throws(Failure) {
    piece += line
    piece.append(UInt8(ascii: "\n"))
    if writesAtOnce || piece.count >= Self.largestPiece || lastWrite.duration(to: .now) > Self.longestWait {
      try flush()
    }
  }

  /// Writes what was gathered.
  mutating func flush() throws(Failure) {
    defer {
      piece.removeAll(keepingCapacity: true)
      lastWrite = .now
    }
    do {
      try DescriptorWriter.write(piece, to: STDOUT_FILENO)
    } catch {
      throw Failure(writing: "standard output", (error as? POSIXError)?.code.rawValue ?? EIO)
    }
  }
}
