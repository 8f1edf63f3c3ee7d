import Foundation
import URLLoading

/// The environments of a session's tasks. A program makes tasks with larger numbers than any before, so that ranges say which task has
/// which environment.
struct TaskEnvironments: Codable, Equatable {
  /// The tasks from a number on, up to the next range.
  private struct Range: Codable, Equatable {
    var first: Int
    var environment: Int
  }

  private var environments: [Int: TaskEnvironment] = [:]
  private var ranges: [Range] = []
  /// No number is used again: what loads by an environment may outlive it.
  private var lastNumber = 0

  /// Without any: tasks have that of their session's description.
  init() {}

  /// That of all tasks.
  init(_ environment: TaskEnvironment) {
    environments = [0: environment]
    ranges = [Range(first: 0, environment: 0)]
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// The number of a task's environment; 0 where nothing is known.
  func number(of task: Int) -> Int { ranges.last { $0.first <= task }?.environment ?? 0 }

  subscript(number: Int) -> TaskEnvironment? { environments[number] }

  /// That of the program that attached last.
  var last: TaskEnvironment? { ranges.last.flatMap { environments[$0.environment] } }

  /// Whether one has proxies of a configuration, which may have credentials.
  var hasProxies: Bool {
    environments.values.contains { environment in
      environment.proxies.map { BackgroundValues.dictionary($0)?.isEmpty != true } ?? false
    }
  }

  /// A program is attached: the tasks that it makes have its environment, and earlier ones theirs. Those that lacked a password which it
  /// has get that.
  /// - Parameters:
  ///   - next: the smallest number of a task that it may make.
  ///   - unfinished: the numbers of the tasks that are still to be loaded.
  mutating func begin(_ environment: TaskEnvironment, at next: Int, unfinished: [Int]) {
    var number: Int?
    for (known, other) in environments {
      if environment.completes(other) {
        environments[known] = environment
        number = known
      } else if let whole = other.completed(by: environment) {
        environments[known] = whole
      }
    }
    forget(excluding: unfinished)
    // It was read from a file.
    if number == nil { lastNumber &+= 1 }
    let own = number ?? lastNumber
    environments[own] = environment
    if ranges.last?.environment != own {
      if ranges.last?.first == next { ranges.removeLast() }
      ranges.append(Range(first: next, environment: own))
    }
    let used = Set(ranges.map(\.environment))
    environments = environments.filter { used.contains($0.key) }
  }

  /// Forgets what no task needs.
  private mutating func forget(excluding unfinished: [Int]) {
    let needed = Set(unfinished.compactMap { task in ranges.lastIndex { $0.first <= task } })
    ranges = ranges.enumerated().filter { needed.contains($0.offset) }.map(\.element)
  }

  /// The same for the disk.
  var withoutPasswords: TaskEnvironments {
    var stored = self
    stored.environments = environments.mapValues(\.withoutPasswords)
    return stored
  }
}
