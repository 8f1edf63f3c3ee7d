import Dispatch
import Testing
import URLLoadingBase

@Suite struct ImmediateResultTests {
  @Test func resultThatIsKnownIsReturned() {
    let later = Locked([Int]())
    let result = immediateResult(of: { $0(1) }, otherwise: { value in later.withLock { $0.append(value) } })
    #expect(result == 1)
    #expect(later.withLock { $0 } == [])
  }

  @Test func resultThatComesLaterIsPassedOn() throws {
    let handler = Locked<(@Sendable (Int) -> Void)?>(nil)
    let later = Locked([Int]())
    let result = immediateResult(
      of: { take in handler.withLock { $0 = take } }, otherwise: { value in later.withLock { $0.append(value) } })
    #expect(result == nil)
    let take = try #require(handler.withLock { $0 })
    take(2)
    #expect(later.withLock { $0 } == [2])
  }

  @Test func resultOfAnotherThreadIsReturnedWhereTheFunctionStillRuns() {
    let later = Locked([Int]())
    let result = immediateResult(
      of: { take in
        let isTaken = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          take(1)
          isTaken.signal()
        }
        isTaken.wait()
      }, otherwise: { value in later.withLock { $0.append(value) } })
    #expect(result == 1)
    #expect(later.withLock { $0 } == [])
  }

  @Test func furtherCallsAreIgnored() throws {
    let handler = Locked<(@Sendable (Int) -> Void)?>(nil)
    let later = Locked([Int]())
    let result = immediateResult(
      of: { take in
        handler.withLock { $0 = take }
        take(1)
        take(2)
      }, otherwise: { value in later.withLock { $0.append(value) } })
    #expect(result == 1)
    let take = try #require(handler.withLock { $0 })
    take(3)
    #expect(later.withLock { $0 } == [])
  }

  /// The handler is called while the function returns: the result is returned or passed on, never both, never neither.
  @Test func resultIsTakenOnce() async {
    for round in 0..<1_000 {
      let value = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
        let result = immediateResult(
          of: { take in DispatchQueue.global().async { take(round) } },
          otherwise: { continuation.resume(returning: $0) })
        if let result { continuation.resume(returning: result) }
      }
      #expect(value == round)
    }
  }
}
