import Foundation
import Testing

@testable import URLLoading

/// A program's side of a background task.
@Suite struct BackgroundTaskMachineTests {
  /// The service says so at each try, and each service anew; `taskIsWaitingForConnectivity` comes once.
  @Test func theLoadHearsOnceThatItWaits() {
    var machine = BackgroundTaskMachine(task: 1, isResumed: true)
    machine.begin()
    for _ in 0..<3 { machine.receive(.waitsForConnectivity) }
    let delivered = machine.takeEffects().filter {
      if case .deliver(.waitsForConnectivity) = $0 { true } else { false }
    }
    #expect(delivered.count == 1)
  }

  /// Else the service would keep its end for the next program.
  @Test func anEndThatCameBeforeACancellationIsTaken() {
    var machine = BackgroundTaskMachine(task: 1, isResumed: true)
    machine.begin()
    machine.receive(.ended(BackgroundOutcome()))
    machine.wasCancelled()
    _ = machine.takeEffects()
    machine.end()
    let sent = machine.takeEffects().filter { if case .send(.tookEnd(task: 1)) = $0 { true } else { false } }
    #expect(sent.count == 1)
  }
}
