internal import URLLoadingBase

/// Hands the body to a data delegate, piece by piece; or to a file, once the data task became a download.
///
/// Mutable state: `continuation`, guarded by its lock, which also keeps the bytes in order when the file takes over.
final class DelegateSink: BodySink {
  private let delivery: Delivery
  private let continuation = Locked<FileSink?>(nil)
  let holdsBytes = true

  init(delivery: Delivery) {
    self.delivery = delivery
  }

  /// The file that took over, if one did.
  var file: FileSink? { continuation.withLock { $0 } }

  func begin(expectedLength: Int64) {}

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    try continuation.withLock { file in
      if let file { return try file.write(bytes) }
      delivery.add(bytes)
      return true
    }
  }

  func write(_ data: Data) throws -> Bool {
    try continuation.withLock { file in
      if let file { return try file.write(data) }
      delivery.add(data)
      return true
    }
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
      file = newFile
      return count
    }
  }
}
