import Foundation
import URLLoadingTestServers

/// Rounds of a test with random input. A round is its seed.
///
/// `URL_LOADING_FUZZ_SECONDS` has the tests of a suite take so long in all, with seeds that no run had before.
enum FuzzRounds {
  /// Runs rounds: so many, or as long as the test may take.
  /// - Parameters:
  ///   - count: how many, unless there is a time.
  ///   - tests: how many tests share the time.
  static func run(
    _ count: Int, sharedBy tests: Int, _ body: (inout SeededGenerator, UInt64) async throws -> Void
  ) async throws {
    let seconds = ProcessInfo.processInfo.environment["URL_LOADING_FUZZ_SECONDS"].flatMap { Double($0) }
    let clock = ContinuousClock()
    let end = clock.now + .seconds((seconds ?? 0) / Double(tests))
    let first = seconds == nil ? 0 : UInt64.random(in: 1 << 32...1 << 62)
    var index = 0
    while seconds == nil ? index < count : clock.now < end {
      let seed = first + UInt64(index)
      var random = SeededGenerator(seed: seed)
      try await body(&random, seed)
      index += 1
    }
  }
}
