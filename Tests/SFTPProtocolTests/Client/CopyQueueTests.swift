import Testing

@testable import SFTPProtocol

@Suite struct CopyQueueTests {
  @Test func halfOfTheHandlesAreForSources() {
    var queue = CopyQueue()
    let limit = 5
    for _ in 0..<4 { queue.add { _ in } }
    #expect(!queue.canBegin(limit))
    var begun = 0
    while queue.next(limit) != nil { begun += 1 }
    #expect(begun == 2)
    queue.ended()
    #expect(queue.next(limit) != nil)
    #expect(queue.next(limit) == nil)
    let waiting = queue.end()
    #expect(waiting.count == 1)
    for _ in 0..<2 { queue.ended() }
    #expect(queue.canBegin(limit))
  }

  @Test func oneBeginsWhereOneFileMayBeOpen() {
    var queue = CopyQueue()
    queue.add { _ in }
    queue.add { _ in }
    #expect(queue.next(1) != nil)
    #expect(queue.next(1) == nil)
  }
}
