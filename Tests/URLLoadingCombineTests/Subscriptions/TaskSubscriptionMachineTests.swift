import Testing

@testable import URLLoadingCombine

@Suite(.timeLimit(.minutes(4))) struct TaskSubscriptionMachineTests {
  private typealias Machine = TaskSubscriptionMachine<Int>

  private func loading() -> Machine {
    var machine = Machine()
    #expect(machine.demanded() == .makeTask)
    #expect(machine.made(1) == .resume)
    return machine
  }

  @Test func oneTaskIsMadeAndOneResultDelivered() {
    var machine = loading()
    #expect(machine.demanded() == .nothing)
    #expect(machine.completed() == .deliver)
    #expect(machine.completed() == .drop)
    #expect(machine.delivered() == .finish)
    #expect(machine.delivered() == .nothing)
    #expect(machine.demanded() == .nothing)
  }

  @Test func aCancelledOneMakesNoTask() {
    var machine = Machine()
    guard case .nothing = machine.cancelled() else { return fail("not so") }
    #expect(machine.demanded() == .nothing)
    #expect(machine.completed() == .drop)
  }

  @Test func aCancelWhileTheTaskIsMadeCancelsIt() {
    var machine = Machine()
    #expect(machine.demanded() == .makeTask)
    guard case .nothing = machine.cancelled() else { return fail("not so") }
    #expect(machine.made(1) == .cancel)
    #expect(machine.completed() == .drop)
  }

  @Test func aCancelOfALoadCancelsTheTaskOnce() {
    var machine = loading()
    guard case .cancel(1) = machine.cancelled() else { return fail("not so") }
    guard case .nothing = machine.cancelled() else { return fail("not so") }
    #expect(machine.completed() == .drop)
    #expect(machine.delivered() == .nothing)
  }

  @Test func aCancelInsideOfTheValueSilencesTheEnd() {
    var machine = loading()
    #expect(machine.completed() == .deliver)
    guard case .nothing = machine.cancelled() else { return fail("not so") }
    #expect(machine.delivered() == .nothing)
  }

  @Test func aResultBeforeTheTaskIsHandedOverIsDelivered() {
    var machine = Machine()
    #expect(machine.demanded() == .makeTask)
    #expect(machine.completed() == .deliver)
    #expect(machine.delivered() == .finish)
    #expect(machine.made(1) == .cancel)
  }

  private func fail(_ what: Comment) { Issue.record(what) }
}
