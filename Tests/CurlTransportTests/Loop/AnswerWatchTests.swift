import Testing

@testable import CurlTransport

@Suite("AnswerWatch")
struct AnswerWatchTests {
  private static let soon = AnswerWatch.shortSleep - 1
  private var watch = AnswerWatch()

  /// Whether the next wait looks, and in vain; the answer then ends a sleep soon.
  private mutating func looksInVain() -> Bool {
    let looks = watch.waits() == .look(AnswerWatch.longestLook)
    if looks { watch.missed() }
    watch.slept(Self.soon)
    return looks
  }

  /// How many soon answers pass until it looks again, the one that it looks for included.
  private mutating func waitsUntilLook() -> Int {
    var count = 1
    while !looksInVain(), count <= 2 * AnswerWatch.mostSkips { count += 1 }
    return count
  }

  @Test("It sleeps until it has seen an answer come soon")
  mutating func sleepsAtFirst() {
    #expect(watch.waits() == .sleep)
    watch.slept(Self.soon)
    #expect(watch.waits() == .look(AnswerWatch.longestLook))
  }

  @Test("It goes on looking for as long as it sees answers")
  mutating func goesOnLooking() {
    watch.slept(Self.soon)
    for _ in 0..<1000 {
      #expect(watch.waits() == .look(AnswerWatch.longestLook))
      watch.saw()
    }
  }

  @Test("A late answer ends the looking, until one comes soon again")
  mutating func lateAnswer() {
    watch.slept(Self.soon)
    watch.slept(AnswerWatch.shortSleep)
    for _ in 0..<3 {
      #expect(watch.waits() == .sleep)
      watch.slept(5_000_000)
    }
    watch.slept(Self.soon)
    #expect(watch.waits() == .look(AnswerWatch.longestLook))
  }

  @Test("With each look in vain it lets twice as many soon answers pass, up to a limit")
  mutating func looksSeldomInVain() {
    #expect(waitsUntilLook() == 2)
    var skips = 1
    while skips < AnswerWatch.mostSkips {
      #expect(waitsUntilLook() == skips)
      skips *= 2
    }
    #expect(waitsUntilLook() == AnswerWatch.mostSkips)
    #expect(waitsUntilLook() == AnswerWatch.mostSkips)
  }

  @Test("An answer that it sees makes looks in vain cheap to forgive")
  mutating func forgives() {
    for _ in 0..<6 { _ = waitsUntilLook() }
    while watch.waits() == .sleep { watch.slept(Self.soon) }
    watch.saw()
    watch.missed()
    watch.slept(Self.soon)
    #expect(watch.waits() == .look(AnswerWatch.longestLook))
  }

  @Test("Late answers do not count among those that pass")
  mutating func lateAnswersDoNotPass() {
    for _ in 0..<4 { _ = waitsUntilLook() }
    for _ in 0..<100 { watch.slept(5_000_000) }
    watch.slept(Self.soon)
    #expect(watch.waits() == .sleep)
  }
}
