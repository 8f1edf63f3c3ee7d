import Testing

@testable import urlloadd

/// What a program is told next, as a value.
@Suite struct TellingTests {
  private func steps(_ telling: inout Telling) -> [Telling.Step] {
    var steps: [Telling.Step] = []
    while let step = telling.next() { steps.append(step) }
    return steps
  }

  @Test func tasksComeBeforeEnds() {
    var telling = Telling()
    telling.list([3, 5])
    #expect(telling.isListing && !telling.hasTold(3))
    #expect(telling.next() == .task(3) && telling.hasTold(3) && !telling.hasTold(5))
    // Found after the tasks.
    telling.ended(3)
    #expect(steps(&telling) == [.task(5), .attached])
    #expect(!telling.isListing && telling.hasTold(7))
    telling.append(.caughtUp)
    telling.ended(5)
    #expect(steps(&telling) == [.caughtUp, .end(5)])
  }

  @Test func piecesWaitForTheirAcknowledgement() {
    var telling = Telling()
    telling.acknowledges = true
    for number in 1...4 { telling.ended(number) }
    var pieces: [Int] = []
    while telling.next() != nil { if let piece = telling.told(Telling.pieceSize) { pieces.append(piece) } }
    #expect(pieces == [1, 2] && !telling.mayGoOn)
    telling.took(7)
    #expect(!telling.mayGoOn)
    telling.took(1)
    #expect(telling.next() == .end(3) && telling.told(Telling.pieceSize - 1) == nil)
    #expect(telling.next() == .end(4) && telling.told(1) == 3)
    telling.took(3)
    telling.took(2)
    #expect(!telling.mayGoOn && telling.next() == nil)
  }

  @Test func whoKnowsOfNoPiecesGetsNone() {
    var telling = Telling()
    for number in 1...10 { telling.ended(number) }
    #expect(steps(&telling).count == 10 && telling.told(10 * Telling.pieceSize) == nil)
  }
}
