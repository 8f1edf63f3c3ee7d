internal import URLLoadingBase

/// Hands the body to a data delegate, piece by piece or whole; or to a file, once the data task became a download.
///
/// Mutable state: `continuation`, guarded by its lock, which also keeps the bytes in order when the file takes over.
final class DelegateSink: BodySink {
  private let delivery: Delivery
  private let continuation = Locked<FileSink?>(nil)
  /// Collects the body; nil where the delegate gets it as it comes.
  private let whole: BufferSink?
  let holdsBytes: Bool

  /// - Parameter isIncremental: whether the delegate gets the body as it comes, rather than in one call when it is whole.
  init(delivery: Delivery, isIncremental: Bool = true) {
    self.delivery = delivery
    whole = isIncremental ? nil : BufferSink()
    holdsBytes = isIncremental
  }

  /// The file that took over, if one did.
  var file: FileSink? { continuation.withLock { $0 } }

  func begin(expectedLength: Int64) { whole?.begin(expectedLength: expectedLength) }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    try continuation.withLock { file in
      if let file { return try file.write(bytes) }
      if let whole { return try whole.write(bytes) }
      delivery.add(bytes)
      return true
    }
  }

  func write(_ data: Data) throws -> Bool {
    try continuation.withLock { file in
      if let file { return try file.write(data) }
      if let whole { return try whole.write(data) }
      delivery.add(data)
      return true
    }
  }

  func end(_ error: (any Error)?) {
    if error == nil { deliverWhole() }
  }

  /// The body is whole, or a part of a multipart body: gives the delegate what was collected. Not called under a load's lock.
  func deliverWhole() {
    guard let data = whole?.take(), !data.isEmpty else { return }
    delivery.add(data)
  }

  /// Writes what waits, and everything from now on, to a file.
  /// - Returns: bytes that no longer wait.
  func moveOn(to newFile: FileSink) throws -> Int {
    try continuation.withLock { file in
      var count = 0
      for data in delivery.takeWaitingData() {
        count += data.count
        _ = try data.withUnsafeBytes { try newFile.write($0) }
      }
      if let data = whole?.take() { _ = try data.withUnsafeBytes { try newFile.write($0) } }
      file = newFile
      return count
    }
  }
}
