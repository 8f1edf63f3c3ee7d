/// The cached blocks, by their last use: a linked list.
struct RecentBlocks: Sendable {
  private struct Links {
    var older: Int?
    var newer: Int?
  }

  private var links: [Int: Links] = [:]
  private var oldest: Int?
  private var newest: Int?

  var count: Int { links.count }

  func contains(_ block: Int) -> Bool { links[block] != nil }

  mutating func insert(_ block: Int) {
    if links[block] != nil { return touch(block) }
    append(block)
  }

  /// Makes a block the most recently used.
  mutating func touch(_ block: Int) {
    guard newest != block, links[block] != nil else { return }
    remove(block)
    append(block)
  }

  mutating func remove(_ block: Int) {
    guard let gone = links.removeValue(forKey: block) else { return }
    if let older = gone.older { links[older]?.newer = gone.newer } else { oldest = gone.newer }
    if let newer = gone.newer { links[newer]?.older = gone.older } else { newest = gone.older }
  }

  /// The least recently used block of those that may be evicted.
  func oldest(where mayGo: (Int) -> Bool) -> Int? {
    var next = oldest
    while let block = next {
      if mayGo(block) { return block }
      next = links[block]?.newer
    }
    return nil
  }

  private mutating func append(_ block: Int) {
    links[block] = Links(older: newest, newer: nil)
    if let newest { links[newest]?.newer = block } else { oldest = block }
    newest = block
  }
}
