import Foundation
import Testing

@testable import URLLoading

/// When a program acknowledges pieces of a list.
@Suite struct HeldEndsTests {
  private func end(resumeData count: Int = 0) -> BackgroundEvent {
    var outcome = BackgroundOutcome()
    if count > 0 { outcome.resumeData = Data(count: count) }
    return .ended(outcome)
  }

  @Test func largeEndsKeepThemBack() {
    var held = HeldEnds()
    for task in 1...30 {
      held.receive(.response(Data(count: 200 << 10)), of: task, isHeld: false)
      held.receive(end(), of: task, isHeld: true)
    }
    #expect(held.received(piece: 1) == nil && held.received(piece: 2) == nil)
    let released = (1...30).compactMap { task in held.release(task).map { (task, $0) } }
    // All of them at once, when there is room.
    #expect(released.count == 1 && released.first?.1 == 2 && (9...12).contains(released.first?.0 ?? 0))
    #expect(held.received(piece: 3) == 3)
  }

  @Test func smallEndsDoNot() {
    var held = HeldEnds()
    for task in 1...100_000 { held.receive(end(resumeData: 4000), of: task, isHeld: true) }
    #expect(held.received(piece: 1) == 1)
  }

  /// A suspended task is not held, and one that is told again counts once.
  @Test func whatIsNotHeldDoesNotCount() {
    var held = HeldEnds()
    for task in 1...100 { held.receive(end(resumeData: 1 << 20), of: task, isHeld: false) }
    for _ in 1...100 { held.receive(end(resumeData: 1 << 20), of: 101, isHeld: true) }
    #expect(held.received(piece: 1) == 1)
  }

  @Test func anotherConnectionHasOtherPieces() {
    var held = HeldEnds()
    held.receive(end(resumeData: 8 << 20), of: 1, isHeld: true)
    #expect(held.received(piece: 9) == nil)
    held.beginConnection()
    #expect(held.release(1) == nil && held.received(piece: 1) == 1)
  }
}
