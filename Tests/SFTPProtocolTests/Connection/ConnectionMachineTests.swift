import Testing

@testable import SFTPProtocol

@Suite struct ConnectionMachineTests {
  private func name(_ action: ConnectionMachine.Action) -> String {
    switch action {
    case .reach: "reach"
    case .exchangeKeys: "exchangeKeys"
    case .judgeHostKey: "judgeHostKey"
    case .logIn: "logIn"
    case .openChannel: "openChannel"
    case .announceOpen: "announceOpen"
    case .close(let failure): "close \(failure.map { "\($0.kind)" } ?? "nil")"
    case .nothing: "nothing"
    }
  }

  /// Every event in the order in which it is due.
  private static let steps: [@Sendable (inout ConnectionMachine) -> ConnectionMachine.Action] = [
    { $0.start() }, { $0.reached() }, { $0.exchangedKeys() }, { $0.judgedHostKey(.accept) }, { $0.loggedIn() },
    { $0.openedChannel() },
  ]

  private func machine(after count: Int, jump: Bool = false) -> ConnectionMachine {
    var machine = ConnectionMachine(goesThroughJump: jump)
    for step in Self.steps.prefix(count) { _ = step(&machine) }
    return machine
  }

  @Test func goesThroughItsPhases() {
    var machine = ConnectionMachine()
    let actions = Self.steps.map { name($0(&machine)) }
    #expect(actions == ["reach", "exchangeKeys", "judgeHostKey", "logIn", "openChannel", "announceOpen"])
    #expect(machine.phase == .open)
  }

  /// In each phase, each event that is not due: an error, once, and silence after it.
  @Test func eventsOutOfOrderEndIt() {
    for phase in 0...Self.steps.count {
      for event in 0..<Self.steps.count where event != phase {
        var machine = machine(after: phase)
        #expect(name(Self.steps[event](&machine)) == "close protocolViolation", "\(phase) \(event)")
        for later in Self.steps { #expect(name(later(&machine)) == "nothing") }
        #expect(name(machine.close(nil)) == "nothing", "the end is reported once")
      }
    }
  }

  @Test func canBeClosedInEachPhase() {
    for phase in 0...Self.steps.count {
      var machine = machine(after: phase)
      #expect(name(machine.close(nil)) == "close nil")
      #expect(machine.phase == .closed)
      #expect(!machine.deadlineRuns)
      #expect(name(machine.close(SSHFailure(.timedOut, ""))) == "nothing")
      #expect(name(machine.judgedHostKey(.refuse(SSHFailure(.cancelled, "")))) == "nothing")
    }
  }

  @Test func theDeadlineCountsUntilTheChannelIsOpen() {
    for phase in 0...Self.steps.count {
      var machine = machine(after: phase)
      let counts = (1..<Self.steps.count).contains(phase)
      #expect(machine.deadlineRuns == counts)
      #expect(name(machine.deadlinePassed(server: "s")) == (counts ? "close timedOut" : "nothing"))
    }
  }

  @Test func questionsStopTheDeadline() {
    var machine = machine(after: 4)
    machine.askedQuestion()
    machine.askedQuestion()
    machine.gotAnswer()
    #expect(!machine.deadlineRuns)
    #expect(name(machine.deadlinePassed(server: "s")) == "nothing")
    machine.gotAnswer()
    #expect(machine.deadlineRuns)
    machine.gotAnswer()
    #expect(machine.deadlineRuns)
  }

  /// The connection to the host before has a deadline of its own, in which somebody may be asked.
  @Test func aJumpHasADeadlineOfItsOwn() {
    #expect(!machine(after: 1, jump: true).deadlineRuns)
    #expect(machine(after: 2, jump: true).deadlineRuns)
  }

  @Test func aRefusedHostKeyEndsIt() {
    var machine = machine(after: 3)
    #expect(name(machine.judgedHostKey(.refuse(SSHFailure(.hostKeyRefused, "")))) == "close hostKeyRefused")
    #expect(machine.phase == .closed)
  }
}
