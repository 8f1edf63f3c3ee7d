/// The blocks that are there, in the order in which they were used last.
struct RecentBlocks: Sendable {
  /// The neighbours of a block in that order.
  private struct Links {
    var older: Int?
    var newer: Int?
  }

  private var links: [Int: Links] = [:]
  private var oldest: Int?
  private var newest: Int?

  var count: Int { links.count }

  func contains(_ block: Int) -> Bool { links[block] != nil }

  /// Adds a block as the one that was used last.
  mutating func insert(_ block: Int) {
    if links[block] != nil { return touch(block) }
    append(block)
  }

  /// Notes that a block was used.
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

  /// The block that was not used for the longest time, of those that may go.
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
