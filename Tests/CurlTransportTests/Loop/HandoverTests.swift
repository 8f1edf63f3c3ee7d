import Testing

@testable import CurlTransport

@Suite("Handover")
struct HandoverTests {
  private var handover = Handover<Int>()

  @Test("A thread is asked once for all who come before it does")
  mutating func taken() {
    #expect(handover.give([1, 2]).isPost)
    #expect(handover.isPending)
    #expect(handover.give([3, 4]).isWait)
    #expect(handover.taken() == [1, 2, 3, 4])
    #expect(!handover.isPending)
    #expect(handover.give([5, 6]).isPost)
    #expect(handover.taken() == [5, 6])
  }

  @Test("When no thread comes in time, the loop does it, and goes on so until one has come")
  mutating func timedOut() {
    #expect(handover.give([1, 2]).isPost)
    #expect(handover.timedOut() == [1, 2])
    #expect(!handover.isPending)
    #expect(handover.give([3, 4]).resumed == [3, 4])
    #expect(handover.timedOut() == [])
    #expect(handover.give([5]).resumed == [5])
    #expect(handover.taken() == [])
    #expect(handover.give([6, 7]).isPost)
    #expect(handover.taken() == [6, 7])
  }

  @Test("A thread that came in time leaves nothing to do")
  mutating func inTime() {
    #expect(handover.timedOut() == [])
    #expect(handover.give([1, 2]).isPost)
    #expect(handover.taken() == [1, 2])
    #expect(handover.timedOut() == [])
    #expect(handover.give([3]).isPost)
  }
}

extension Handover.Action {
  fileprivate var isPost: Bool { if case .post = self { true } else { false } }
  fileprivate var isWait: Bool { if case .wait = self { true } else { false } }
  fileprivate var resumed: [Function]? { if case .resume(let crowd) = self { crowd } else { nil } }
}
