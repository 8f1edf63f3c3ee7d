import Testing

@testable import URLLoadingCombine

@Suite(.timeLimit(.minutes(4))) struct BytesSubscriptionMachineTests {
  private typealias Machine = BytesSubscriptionMachine<Int>

  private func started(_ demand: Subscribers.Demand) -> Machine {
    var machine = Machine()
    guard case .read = machine.demanded(demand) else {
      Issue.record("does not read")
      return machine
    }
    return machine
  }

  @Test func nothingIsReadWithoutADemand() {
    var machine = Machine()
    guard case .nothing = machine.demanded(.none) else { return fail("reads") }
    #expect(!machine.isDelivering)
  }

  @Test func onePieceIsReadAheadAndHeld() {
    var machine = started(.max(1))
    guard case .deliver(1) = machine.read(1) else { return fail("not delivered") }
    #expect(machine.isDelivering)
    #expect(machine.delivered(.none) == .read)
    guard case .stop = machine.read(2) else { return fail("delivered without a demand") }
    #expect(!machine.isDelivering)
    guard case .nothing = machine.demanded(.none) else { return fail("delivered without a demand") }
    guard case .deliver(2) = machine.demanded(.max(1)) else { return fail("not delivered") }
    #expect(machine.delivered(.none) == .read)
  }

  @Test func demandsAddUp() {
    var machine = started(.max(1))
    guard case .nothing = machine.demanded(.max(1)) else { return fail("reads twice") }
    guard case .deliver = machine.read(1) else { return fail("not delivered") }
    // From inside of the value, by a call and by what is returned.
    guard case .nothing = machine.demanded(.max(1)) else { return fail("reads twice") }
    #expect(machine.delivered(.max(1)) == .read)
    for piece in 2...4 {
      guard case .deliver = machine.read(piece) else { return fail("not delivered") }
      #expect(machine.delivered(.none) == .read)
    }
    guard case .stop = machine.read(5) else { return fail("delivered without a demand") }
  }

  @Test func anUnlimitedDemandStaysSo() {
    var machine = started(.unlimited)
    guard case .nothing = machine.demanded(.unlimited) else { return fail("reads twice") }
    for piece in 1...100 {
      guard case .deliver = machine.read(piece) else { return fail("not delivered") }
      #expect(machine.delivered(.max(.max)) == .read)
    }
  }

  @Test func theEndNeedsNoDemandAndComesOnce() {
    var machine = started(.max(1))
    guard case .deliver = machine.read(1) else { return fail("not delivered") }
    #expect(machine.delivered(.none) == .read)
    #expect(machine.finished() == .complete)
    #expect(machine.finished() == .nothing)
    guard case .nothing = machine.demanded(.unlimited) else { return fail("reads on") }
  }

  @Test(arguments: 0..<4) func aCancelSilencesAtEveryMoment(_ moment: Int) {
    var machine = Machine()
    if moment > 0 { _ = machine.demanded(.max(1)) }
    if moment > 1 { _ = machine.read(1) }
    if moment > 2 {
      _ = machine.delivered(.none)
      _ = machine.read(2)
    }
    machine.cancelled()
    #expect(!machine.isDelivering)
    guard case .nothing = machine.demanded(.unlimited) else { return fail("reads on") }
    guard case .stop = machine.read(3) else { return fail("delivers") }
    #expect(machine.delivered(.unlimited) == .stop)
    #expect(machine.finished() == .nothing)
  }

  private func fail(_ what: Comment) { Issue.record(what) }
}
