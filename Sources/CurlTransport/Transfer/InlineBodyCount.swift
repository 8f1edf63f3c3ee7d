/// The bytes of inline bodies in libcurl's count of what it sent as heads of requests.
///
/// A request may be sent again, on a new connection; what the first one took of it shows in the count.
struct InlineBodyCount {
  private var length: Int64 = 0
  private var countedBytes: Int64 = 0
  private var sizeBefore: Int64 = 0

  /// - Parameters:
  ///   - requestSize: libcurl's count now, in bytes.
  ///   - length: of the body, in bytes.
  mutating func requestBegins(requestSize: Int64, length: Int64) {
    countedBytes = bytes(requestSize: requestSize)
    self.length = length
    sizeBefore = requestSize
  }

  /// The bytes of bodies in libcurl's count.
  func bytes(requestSize: Int64) -> Int64 {
    countedBytes + min(length, max(0, requestSize - sizeBefore))
  }
}
