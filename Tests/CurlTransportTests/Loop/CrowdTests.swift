import Testing
import URLLoadingBase

@testable import URLLoadingCurlTransport

@Suite(.timeLimit(.minutes(1))) struct CrowdTests {
  /// Has so many functions wait, has `test` make them go on, and waits until all have.
  private func withCrowd(
    of count: Int, passingOn passesOn: Bool, _ test: @Sendable (Crowd) async -> Void
  ) async {
    let gathering = Gathering(count)
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          let crowd = await gathering.wait()
          if passesOn { crowd?.passOn() }
        }
      }
      await test(gathering.crowd())
    }
  }

  @Test(arguments: [2, 3, 64, 1001]) func eachHasOthersGoOn(count: Int) async {
    let begun = Locked<Crowd?>(nil)
    await withCrowd(of: count, passingOn: true) { crowd in
      #expect(!crowd.isMoving)
      begun.withLock { $0 = crowd }
      crowd.begin()
    }
    let crowd = begun.withLock { $0 }
    #expect(crowd?.isExhausted == true)
    #expect(crowd?.isMoving == true)
  }

  @Test func thoseThatAreLeftGoOn() async {
    await withCrowd(of: 100, passingOn: false) { crowd in
      crowd.begin()
      #expect(!crowd.isExhausted)
      crowd.finish()
      #expect(crowd.isExhausted)
      #expect(!crowd.isMoving)
    }
  }

  /// Each goes on once: a second time would be a crash.
  @Test func manyHaveThemGoOnAtOnce() async {
    for _ in 0..<20 {
      await withCrowd(of: 500, passingOn: true) { crowd in
        await withDiscardingTaskGroup { group in
          for _ in 0..<8 { group.addTask { crowd.finish() } }
        }
        #expect(crowd.isExhausted)
      }
    }
  }
}

/// Functions that wait, until there are so many.
private final class Gathering: Sendable {
  private struct State {
    var functions: [Crowd.Function] = []
    var whole: UnsafeContinuation<Crowd, Never>?
  }

  private let count: Int
  private let state = Locked(State())

  init(_ count: Int) {
    self.count = count
  }

  func wait() async -> Crowd? {
    await withUnsafeContinuation { function in change { $0.functions.append(function) } }
  }

  /// The crowd of all.
  func crowd() async -> Crowd {
    await withUnsafeContinuation { continuation in change { $0.whole = continuation } }
  }

  private func change(_ body: (inout State) -> Void) {
    let (whole, functions) = state.withLock { state in
      body(&state)
      return (state.functions.count == count ? state.whole : nil, state.functions)
    }
    whole?.resume(returning: Crowd(functions))
  }
}
