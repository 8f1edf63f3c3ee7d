import Testing

@testable import URLLoadingCurlTransport

/// What a loop's resumer does about crowds that do not go on by themselves. The test is the loop.
@Suite(.timeLimit(.minutes(1))) struct ResumerTests {
  @Test func aLateCrowdIsFinishedAndTheNextDoNotPassOnUntilItMoves() async {
    let reactor = Reactor()
    let resumer = Resumer(reactor: reactor, canPassOn: true)
    let first = Waiters(4)
    for function in await first.functions() { resumer.add(function) }
    resumer.resume()
    // Two go on, and the loop is to be back for the others.
    #expect(resumer.longestSleep() == 1)
    pass(5, on: reactor)
    resumer.finishLate()
    #expect(resumer.longestSleep() == -1)
    let crowds = await first.wentOn()
    #expect(crowds.count == 4)

    let second = Waiters(4)
    for function in await second.functions() { resumer.add(function) }
    resumer.resume()
    // Nobody has come for the ones before: these need nobody.
    #expect(resumer.longestSleep() == -1)
    #expect(await second.wentOn().count == 4)

    for crowd in crowds { crowd?.passOn() }
    let third = Waiters(4)
    for function in await third.functions() { resumer.add(function) }
    resumer.resume()
    #expect(resumer.longestSleep() == 1)
    pass(5, on: reactor)
    resumer.finishLate()
    #expect(await third.wentOn().count == 4)
  }

  /// Has so many milliseconds go by, in turns of the loop.
  private func pass(_ milliseconds: UInt64, on reactor: Reactor) {
    let end = Reactor.now() + milliseconds * 1_000_000
    repeat { _ = reactor.wait(canSleep: true, atMost: Int32(milliseconds)) } while reactor.turnBeginning < end
  }
}

/// Functions that wait, and what they were told when they went on.
private final class Waiters: Sendable {
  private let (waiting, waits) = AsyncStream.makeStream(of: Crowd.Function.self)
  private let tasks: [Task<Crowd?, Never>]
  private let count: Int

  init(_ count: Int) {
    self.count = count
    let waits = waits
    tasks = (0..<count).map { _ in Task { await withUnsafeContinuation { _ = waits.yield($0) } } }
  }

  /// All of them, once all wait.
  func functions() async -> [Crowd.Function] {
    var functions: [Crowd.Function] = []
    for await function in waiting {
      functions.append(function)
      if functions.count == count { break }
    }
    return functions
  }

  /// The crowds that they belong to, once all have gone on.
  func wentOn() async -> [Crowd?] {
    var crowds: [Crowd?] = []
    for task in tasks { crowds.append(await task.value) }
    return crowds
  }
}
