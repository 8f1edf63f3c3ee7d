import Testing
import URLLoadingTestServers

/// What becomes of closures that are written on the main actor, in Swift 6 mode: a program shows it, for it may end by it.
@Suite(.timeLimit(.minutes(4))) struct IsolationTests {
  private func run(_ chain: String) async throws -> Command.Outcome {
    try await Command.run(BuiltProgram.path("URLLoadingCombineIsolation"), [chain])
  }

  @Test(arguments: ["sink", "map"]) func aClosureOfTheMainActorIsCalledElsewhere(_ chain: String) async throws {
    let outcome = try await run(chain)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.text == "Hi, not on the main queue\n")
  }

  @Test func itTrapsWhereTheFileImportsOpenCombine() async throws {
    let outcome = try await run("import")
    // The address sanitizer handles the signal, and exits.
    switch outcome.status {
    case .signalled: break
    case .exited(let code): #expect(Sanitizing.isOn && code != 0, "\(outcome.status) \(outcome.text)")
    }
  }

  @Test(arguments: ["receive", "run loop", "main session", "sendable", "nonisolated", "values"])
  func whatTheDocumentationOffersHelps(_ chain: String) async throws {
    let outcome = try await run(chain)
    #expect(outcome.status == .exited(0), "\(outcome.error)")
    #expect(outcome.text == "Hi, on the main queue\n")
  }
}
