import Foundation

/// Does work and prints one line of JSON that says what it took.
public struct Measurement: Sendable {
  private let client: String
  private let work: Work
  private let process: pid_t?

  /// - Parameters:
  ///   - client: the name of the library that is measured.
  ///   - process: whose CPU time and memory are told; this one's where it is nil.
  public init(client: String, work: Work, of process: pid_t? = nil) {
    self.client = client
    self.work = work
    self.process = process
  }

  /// Runs an operation as often, and as often at once, as the work says.
  /// - Parameter operation: does the load of a number, and returns how many bytes of a body it moved.
  public func run(_ operation: @escaping @Sendable (Int) async throws -> Int) async throws {
    try await measure {
      let next = Counter()
      return try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<work.concurrency {
          group.addTask {
            var bytes = 0
            while true {
              let number = next.take()
              guard number < work.count else { return bytes }
              bytes += try await operation(number)
            }
          }
        }
        return try await group.reduce(0, +)
      }
    }
  }

  /// Runs an operation that calls back as often, and as often at once, as the work says. Each call back begins the next one.
  /// - Parameter operation: begins the load of a number, and tells how many bytes of a body it moved.
  public func run(_ operation: @escaping CallbackChain.Operation) async throws {
    try await measure {
      try await withCheckedThrowingContinuation { continuation in
        let chain = CallbackChain(count: work.count, operation: operation) { continuation.resume(with: $0) }
        for _ in 0..<work.concurrency { chain.beginNext() }
      }
    }
  }

  /// Does something once.
  /// - Parameter body: returns how many bytes of a body it moved.
  public func measure(_ body: () async throws -> Int) async throws {
    let start = ContinuousClock.now
    let cpu = cpuSeconds
    let bytes = try await body()
    let wall = ContinuousClock.now - start
    report([
      "bytes": bytes, "wall": wall / .seconds(1), "cpu": cpuSeconds - cpu,
      "rss_kb": process.map { ProcessFacts.peakResidentKilobytes(of: $0) } ?? ProcessFacts.peakResidentKilobytes,
    ])
  }

  private var cpuSeconds: Double { process.map { ProcessFacts.cpuSeconds(of: $0) } ?? ProcessFacts.cpuSeconds }

  /// Begins as many loads as the work says, waits until the process's memory stays as it is, and tells how much it grew.
  public func runIdle(_ begin: @Sendable () -> Void) async throws {
    let before = ProcessFacts.residentKilobytes
    let start = ContinuousClock.now
    let cpu = ProcessFacts.cpuSeconds
    begin()
    var last = -1
    var steady = 0
    while steady < 5 {
      try await Task.sleep(for: .milliseconds(100))
      let now = ProcessFacts.residentKilobytes
      steady = now == last ? steady + 1 : 0
      last = now
    }
    let wall = ContinuousClock.now - start
    report([
      "bytes": 0, "wall": wall / .seconds(1), "cpu": ProcessFacts.cpuSeconds - cpu, "rss_kb": last,
      "grown_kb": last - before,
    ])
  }

  private func report(_ numbers: [String: any Sendable]) {
    var line = numbers
    line["client"] = client
    line["mode"] = work.mode.rawValue
    line["n"] = work.count
    line["c"] = work.concurrency
    let json = try? JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    print(String(decoding: json ?? Data(), as: UTF8.self))
    // What runs on needs not be waited for, and its end is not measured.
    fflush(nil)
  }
}
