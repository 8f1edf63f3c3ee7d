import Testing

@testable import SFTPProtocol

@Suite struct CopyQueueTests {
  @Test func halfOfTheHandlesAreForSources() {
    var queue = CopyQueue()
    let limit = 5
    for _ in 0..<4 { queue.add(1) { _ in } }
    #expect(!queue.canBegin(1, limit))
    var begun = 0
    while queue.next(limit) != nil { begun += 1 }
    #expect(begun == 2)
    queue.ended(1)
    #expect(queue.next(limit) != nil)
    #expect(queue.next(limit) == nil)
    let waiting = queue.end()
    #expect(waiting.count == 1)
    for _ in 0..<2 { queue.ended(1) }
    #expect(queue.canBegin(1, limit))
  }

  @Test func oneBeginsWhereOneFileMayBeOpen() {
    var queue = CopyQueue()
    queue.add(1) { _ in }
    queue.add(1) { _ in }
    #expect(queue.next(1) != nil)
    #expect(queue.next(1) == nil)
  }

  /// Large files wait for each other; one of any size begins where there is no other.
  @Test func theBytesOfStepsAreBounded() {
    var queue = CopyQueue()
    for length: UInt64 in [.max, 16 << 20, 16 << 20, 16 << 20, 1] { queue.add(length) { _ in } }
    var begun = 0
    while queue.next(1000) != nil { begun += 1 }
    #expect(begun == 4)
    queue.ended(.max)
    #expect(queue.next(1000) != nil && queue.canBegin(1, 1000))
    for length: UInt64 in [16 << 20, 16 << 20, 16 << 20, 1] { queue.ended(length) }
    #expect(queue.canBegin(.max, 1000))
  }
}
