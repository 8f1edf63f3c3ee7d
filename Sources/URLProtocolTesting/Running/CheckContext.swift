import URLLoading

/// What a running check works with.
///
/// Mutable state: in `state`, which guards it.
final class CheckContext: Sendable {
  private struct State: Sendable {
    var step = "it was being prepared"
    var url: URL?
    var sessions: [CheckSession] = []
    var isOver = false
  }

  let fixture: any URLProtocolFixture
  /// How long it may take until an instance that ended is gone.
  let quietLimit: Duration
  private let check: String
  private let state = Observed(State())

  init(check: String, fixture: any URLProtocolFixture, timeLimit: Duration) {
    self.check = check
    self.fixture = fixture
    quietLimit = min(.seconds(10), timeLimit / 2)
  }

  // MARK: Resources

  /// Makes a resource of so many bytes.
  func place(_ count: Int) async throws -> Resource {
    let name = Self.newName()
    let bytes = TestBytes.make(count, seed: name)
    step("the fixture placed \(count) bytes", nil)
    return Resource(url: try await fixture.place(bytes, named: name), bytes: bytes)
  }

  /// A new name for a resource.
  static func newName() -> String {
    "kit-" + String(UInt64.random(in: 0 ... .max), radix: 36)
  }

  // MARK: Sessions

  /// A session whose loads go through the class.
  func session(
    hold: Hold? = nil, answers: DelegateAnswers = DelegateAnswers(),
    when hook: (@Sendable (Moment, URLSessionTask) -> Void)? = nil
  ) -> CheckSession {
    let session = CheckSession(self, hold: hold, answers: answers, hook: hook)
    let isOver = state.update { state in
      state.sessions.append(session)
      return state.isOver
    }
    if isOver { session.abandon() }
    return session
  }

  /// Waits for the end of all sessions, and looks at what their instances did. Those that are closed can be closed again.
  func closeSessions() async throws {
    for session in state.value.sessions { try await session.close() }
  }

  /// Ends whatever still runs.
  func end() {
    let sessions = state.update { state in
      state.isOver = true
      defer { state.sessions = [] }
      return state.sessions
    }
    for session in sessions { session.abandon() }
  }

  // MARK: Findings

  /// Records what is being done, for the case that it never ends.
  func step(_ text: String, _ url: URL?) {
    state.update { ($0.step, $0.url) = (text, url) }
  }

  func failure(_ url: URL?, expected: String, happened: String, advice: String) -> ConformanceFailure {
    ConformanceFailure(check: check, url: url, expected: expected, happened: happened, advice: advice)
  }

  /// Throws a failure unless the condition holds.
  func expect(
    _ condition: Bool, _ url: URL?, _ expected: @autoclosure () -> String, _ happened: @autoclosure () -> String,
    _ advice: @autoclosure () -> String
  ) throws {
    guard condition else { throw failure(url, expected: expected(), happened: happened(), advice: advice()) }
  }

  func overdue(_ limit: Duration) -> ConformanceFailure {
    let (step, url) = state.update { ($0.step, $0.url) }
    return failure(
      url, expected: "an end within \(limit.inSeconds) s", happened: "nothing came any more while \(step)",
      advice:
        "Every load has to end with urlProtocolDidFinishLoading or a failure, also after a pause, and calls must not block."
    )
  }
}
