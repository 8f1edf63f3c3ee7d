import Testing
import URLLoadingBase

@testable import URLLoading

@Suite struct RetryBudgetTests {
  private let start = MonotonicInstant.now

  private func at(_ seconds: Double) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

  private func budget(perLoad: Double = 0, perSecond: Double = 0, saved: Double = 0) -> RetryBudget {
    var settings = URLSessionConfiguration.RetryPolicy.Budget()
    (settings.retriesPerLoad, settings.retriesPerSecond, settings.savedRetries) = (perLoad, perSecond, saved)
    return RetryBudget(settings, at: start)
  }

  /// How many retries are granted of so many that are wanted.
  private func granted(_ budget: inout RetryBudget, of count: Int = 1000, at seconds: Double = 0) -> Int {
    (0..<count).count { _ in budget.withdraw(at: at(seconds)) }
  }

  @Test func itBeginsWithWhatCanBeSaved() {
    var budget = budget(saved: 10)
    let counts = (granted(&budget), granted(&budget))
    #expect(counts == (10, 0))
  }

  @Test func loadsAddToIt() {
    var budget = budget(perLoad: 0.25, saved: 10)
    _ = granted(&budget)
    for _ in 0..<8 { budget.loadBegins(at: start) }
    let two = granted(&budget)
    #expect(two == 2)
    for _ in 0..<3 { budget.loadBegins(at: start) }
    let none = granted(&budget)
    #expect(none == 0)
  }

  @Test func timeAddsToItAndNoMoreIsSavedThanMayBe() {
    var budget = budget(perSecond: 2, saved: 10)
    _ = granted(&budget)
    let counts = [granted(&budget, at: 1.5), granted(&budget, at: 2), granted(&budget, at: 1000)]
    #expect(counts == [3, 1, 10])
  }

  @Test func aClockThatIsReadLateTakesNothing() {
    var budget = budget(perSecond: 1, saved: 10)
    _ = granted(&budget, at: 5)
    let counts = [granted(&budget, at: 3), granted(&budget, at: 6)]
    #expect(counts == [0, 1])
  }

  @Test func nothingIsNothing() {
    var budget = budget()
    budget.loadBegins(at: start)
    let count = granted(&budget, at: 1e6)
    #expect(count == 0)
    var negative = self.budget(perLoad: -1, perSecond: -1, saved: -5)
    negative.loadBegins(at: start)
    let fewer = granted(&negative, at: 10)
    #expect(fewer == 0)
  }
}
