/// The copies of a connection. Each holds one file open while it waits to open another: at most half of the files that may be open are their
/// sources, so that the other half ends. And what the server copies meanwhile is bounded, since most do one thing after another, and other loads
/// wait for that.
struct CopyQueue {
  /// Bytes that one copy has the server copy in a step.
  static let bytesInAStep: UInt64 = 16 << 20
  /// Bytes that all copies have it copy in their steps.
  private static let largestByteCount: UInt64 = 64 << 20

  private var waiting: [(bytes: UInt64, reply: SFTPClient.Reply<Void>)] = []
  private var underWay = 0
  private var byteCount: UInt64 = 0

  private func mayBegin(_ bytes: UInt64, _ handleLimit: Int) -> Bool {
    underWay < max(1, handleLimit / 2) && (underWay == 0 || byteCount + bytes <= Self.largestByteCount)
  }

  /// Whether one more may begin without waiting.
  /// - Parameters:
  ///   - length: bytes to be copied.
  ///   - handleLimit: files that may be open at once.
  func canBegin(_ length: UInt64, _ handleLimit: Int) -> Bool {
    waiting.isEmpty && mayBegin(min(length, Self.bytesInAStep), handleLimit)
  }

  mutating func add(_ length: UInt64, _ reply: @escaping SFTPClient.Reply<Void>) {
    waiting.append((min(length, Self.bytesInAStep), reply))
  }

  /// The next copy, which is under way from now on; nil where none may begin.
  mutating func next(_ handleLimit: Int) -> SFTPClient.Reply<Void>? {
    guard let first = waiting.first, mayBegin(first.bytes, handleLimit) else { return nil }
    underWay += 1
    byteCount += first.bytes
    return waiting.removeFirst().reply
  }

  /// A copy of so many bytes that was under way has ended.
  mutating func ended(_ length: UInt64) {
    underWay -= 1
    byteCount -= min(length, Self.bytesInAStep)
  }

  /// The copies that wait and will not begin.
  mutating func end() -> [SFTPClient.Reply<Void>] {
    defer { waiting = [] }
    return waiting.map { $0.reply }
  }
}
