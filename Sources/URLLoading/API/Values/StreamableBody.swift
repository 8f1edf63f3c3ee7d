internal import URLLoadingBase

/// A body in memory that can be read as a stream, too: protocol classes written for Apple's systems read that.
///
/// Mutable state: `made`, guarded by its lock.
final class StreamableBody: Sendable {
  let data: Data
  private let made = Locked<InputStream?>(nil)

  init(_ data: Data) {
    self.data = data
  }

  /// The stream, made at the first access.
  var stream: InputStream {
    made.withLock { made in
      if let made { return made }
      let new = InputStream(data: data)
      made = new
      return new
    }
  }
}
