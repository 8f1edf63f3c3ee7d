import Testing
import URLLoadingBase
import URLLoadingTestServers

@testable import SFTPProtocol

@Suite struct ReadAheadTests {
  /// The byte at a position.
  private static func byte(_ position: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: position &* 167 &+ position >> 8) }

  @Test func partsAreAskedForAsFarAsTheWindowReaches() {
    var plan = ReadAhead(100..<1000, requestCount: 100, firstWindow: 300, largestWindow: 300)
    #expect(plan.next(at: 0) == .init(part: 0, offset: 100, count: 100))
    #expect(plan.next(at: 0)?.offset == 200)
    #expect(plan.next(at: 0)?.offset == 300)
    #expect(plan.next(at: 0) == nil)
    #expect(plan.aheadCount == 300)
    let bytes = [UInt8](repeating: 1, count: 100)
    let goesOn = bytes.withUnsafeBytes { plan.received($0, of: 0, at: 1) }
    #expect(goesOn)
    #expect(plan.ended(0) == .nothing)
    #expect(plan.next(at: 0)?.offset == 400)
    #expect(plan.next(at: 0) == nil)
  }

  @Test func aPauseAsksForNothing() {
    var plan = ReadAhead(0..<1000, requestCount: 100)
    plan.pause(true)
    #expect(plan.next(at: 0) == nil)
    plan.pause(false)
    #expect(plan.next(at: 0) != nil)
  }

  @Test func whatComesDuringAPauseIsKept() {
    var plan = ReadAhead(0..<20, requestCount: 10)
    while plan.next(at: 0) != nil {}
    let bytes = [UInt8](0..<10)
    let goesOn = bytes[..<4].withUnsafeBytes { plan.received($0, of: 0, at: 1) }
    #expect(goesOn)
    plan.pause(true)
    for (piece, part) in [(bytes[4...], 0), (bytes[...], 1)] {
      let goesOn = piece.withUnsafeBytes { plan.received($0, of: part, at: 1) }
      #expect(!goesOn)
      #expect(plan.ended(part) == .nothing)
    }
    #expect(plan.takeKept() == nil)
    #expect(plan.position == 4 && !plan.isComplete)
    plan.pause(false)
    #expect(plan.takeKept() == Array(bytes[4...]))
    #expect(plan.takeKept() == bytes)
    #expect(plan.takeKept() == nil && plan.isComplete)
  }

  /// A server that is a way of `delay` away, and needs 1 for each part of 10 bytes.
  private struct Server {
    var plan = ReadAhead(0..<1_000_000, requestCount: 10, firstWindow: 40, largestWindow: 160)
    let delay: Int64
    private var now: MonotonicInstant = 0
    private var isFreeAt: MonotonicInstant = 0
    private var answers: [MonotonicInstant] = []

    init(delay: Int64) { self.delay = delay }

    mutating func ahead() -> Int {
      while plan.next(at: now) != nil {
        isFreeAt = max(isFreeAt, now.advanced(byNanoseconds: delay)).advanced(byNanoseconds: 1)
        answers.append(isFreeAt)
      }
      return plan.aheadCount
    }

    mutating func consume(_ count: Int) {
      let bytes = [UInt8](repeating: 1, count: 10)
      for _ in 0..<count {
        _ = ahead()
        let part = Int(plan.position / 10)
        now = max(now, answers[part])
        _ = bytes.withUnsafeBytes { plan.received($0, of: part, at: now) }
        _ = plan.ended(part)
      }
    }
  }

  @Test func theWindowGrowsWithALongWayAndShrinksWithASlowConsumer() {
    var server = Server(delay: 1000)
    #expect(server.ahead() == 40)
    server.consume(100)
    #expect(server.ahead() == 160)
    for _ in 0..<20 {
      server.consume(1)
      server.plan.pause(true)
      server.plan.pause(false)
    }
    #expect(server.ahead() == 20)
    server.consume(100)
    #expect(server.ahead() == 160)
  }

  @Test func theWindowStaysSmallWhereAnswersWaitForOneAnother() {
    var server = Server(delay: 1)
    server.consume(1000)
    #expect(server.ahead() == 40)
    server.plan.pause(true)
    server.plan.pause(false)
    #expect(server.ahead() <= 40)
    // What a slow consumer has taken away comes back.
    server.consume(100)
    #expect(server.ahead() == 40)
  }

  @Test func anEmptyAnswerIsAnError() {
    var plan = ReadAhead(0..<10, requestCount: 10)
    _ = plan.next(at: 0)
    #expect(plan.ended(0) == .fail)
  }

  @Test func anEmptyRangeIsComplete() {
    var plan = ReadAhead(5..<5, requestCount: 10)
    #expect(plan.isComplete && plan.isAsked)
    #expect(plan.next(at: 0) == nil)
  }

  /// Servers that answer in any order, in pieces, and with less than was asked for.
  @Test(arguments: 1...60)
  func everyByteGoesOnOnceAndInOrder(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let start = UInt64.random(in: 0...5000, using: &generator)
    let end = start + UInt64.random(in: 0...20_000, using: &generator)
    let inOrder = Bool.random(using: &generator)
    let isShort = Bool.random(using: &generator)
    var plan = ReadAhead(
      start..<end, requestCount: Int.random(in: 1...3000, using: &generator),
      firstWindow: Int.random(in: 1...8000, using: &generator), largestWindow: 9000)
    var asked: [(request: ReadAhead.Request, left: Int, given: Int)] = []
    var result: [UInt8] = []
    var steps = 0
    while !plan.isComplete, steps < 200_000 {
      steps += 1
      while let request = plan.next(at: 0) { asked.append((request, request.count, 0)) }
      if Int.random(in: 0..<20, using: &generator) == 0 { plan.pause(!plan.isPaused) }
      #expect(plan.aheadCount <= 12_000)
      guard !asked.isEmpty else {
        plan.pause(false)
        while let kept = plan.takeKept() { result += kept }
        continue
      }
      // Answers come whole, one after another.
      let index = inOrder ? 0 : Int.random(in: 0..<asked.count, using: &generator)
      let (request, _, _) = asked.remove(at: index)
      let count = isShort ? Int.random(in: 1...request.count, using: &generator) : request.count
      var given = 0
      while given < count {
        let piece = Int.random(in: 1...(count - given), using: &generator)
        let bytes = (0..<piece).map { Self.byte(request.offset + UInt64(given + $0)) }
        if bytes.withUnsafeBytes({ plan.received($0, of: request.part, at: 1) }) { result += bytes }
        given += piece
      }
      switch plan.ended(request.part) {
      case .askAgain(let rest): asked.append((rest, rest.count, 0))
      case .nothing: break
      case .fail: Issue.record("seed \(seed): an answer with bytes counts as empty")
      }
      while let kept = plan.takeKept() { result += kept }
    }
    #expect(result.elementsEqual((start..<end).map(Self.byte)))
    #expect(asked.isEmpty)
  }
}
