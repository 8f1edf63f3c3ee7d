import ArgumentParser
import Foundation

/// How the body is taken.
enum BenchMode: String, ExpressibleByArgument, Sendable {
  case get, handler, file
}

/// `RUSAGE_SELF`, whose type differs between versions of glibc's module.
private let thisProcess: Int32 = 0

/// Files to be removed when nothing is measured any more: to free a gigabyte takes a fifth of the time that its download takes.
actor LeftFiles {
  private var files: [URL] = []

  func add(_ file: URL) { files.append(file) }

  func remove() {
    for file in files { try? FileManager.default.removeItem(at: file) }
    files = []
  }
}

/// Runs an operation many times, some at once, and prints what it took.
struct Measurement {
  var client: String
  var mode: BenchMode
  var count: Int
  var concurrency: Int

  func run(_ operation: @escaping @Sendable () async throws -> Int) async throws {
    let start = ContinuousClock.now
    var before = rusage()
    getrusage(thisProcess, &before)
    let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
      for worker in 0..<concurrency {
        let share = count / concurrency + (worker < count % concurrency ? 1 : 0)
        group.addTask {
          var bytes = 0
          for _ in 0..<share { bytes += try await operation() }
          return bytes
        }
      }
      return try await group.reduce(0, +)
    }
    let wall = ContinuousClock.now - start
    var after = rusage()
    getrusage(thisProcess, &after)
    let seconds = Double(wall.components.seconds) + Double(wall.components.attoseconds) / 1e18
    let cpu = Self.cpu(after) - Self.cpu(before)
    let line: [String: Any] = [
      "client": client, "mode": mode.rawValue, "n": count, "c": concurrency, "bytes": bytes, "wall": seconds,
      "cpu_us": cpu / Double(count) * 1e6, "rss_kb": after.ru_maxrss,
    ]
    let json = try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys])
    print(String(decoding: json, as: UTF8.self))
  }

  private static func cpu(_ usage: rusage) -> Double {
    Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
  }
}
