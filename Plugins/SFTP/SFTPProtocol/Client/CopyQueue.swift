/// The copies of a connection, which hold one file open while they wait to open another: at most half of the files that may be open are their
/// sources, so that the other half ends.
struct CopyQueue {
  private var waiting: [SFTPClient.Reply<Void>] = []
  private var underWay = 0

  private static func limit(_ handleLimit: Int) -> Int { max(1, handleLimit / 2) }

  /// Whether one more may begin without waiting.
  /// - Parameter handleLimit: files that may be open at once.
  func canBegin(_ handleLimit: Int) -> Bool { waiting.isEmpty && underWay < Self.limit(handleLimit) }

  mutating func add(_ reply: @escaping SFTPClient.Reply<Void>) { waiting.append(reply) }

  /// The next copy, which is under way from now on; nil where none may begin.
  mutating func next(_ handleLimit: Int) -> SFTPClient.Reply<Void>? {
    guard !waiting.isEmpty, underWay < Self.limit(handleLimit) else { return nil }
    underWay += 1
    return waiting.removeFirst()
  }

  /// A copy that was under way has ended.
  mutating func ended() { underWay -= 1 }

  /// The copies that wait and will not begin.
  mutating func end() -> [SFTPClient.Reply<Void>] {
    defer { waiting = [] }
    return waiting
  }
}
