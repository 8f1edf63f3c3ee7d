import Foundation
import Testing

@testable import URLLoading

@Suite struct TaskRegistryTests {
  private func task(_ session: URLSession) throws -> URLSessionTask {
    session.dataTask(with: try #require(URL(string: "data:,x")))
  }

  @Test func retainsUntilItReleases() throws {
    let session = URLSession(configuration: .ephemeral)
    let registry = session.taskRegistry
    weak var weakTask: URLSessionTask?
    func make() throws { weakTask = try task(session) }
    try make()
    #expect(weakTask != nil && registry.isIdle && registry.all.count == 1)
    registry.releaseUnstarted()
    #expect(weakTask == nil && registry.all.isEmpty)
    try make()
    #expect(weakTask == nil)
  }

  @Test func referencesWeakly() throws {
    let session = URLSession(configuration: .ephemeral)
    let registry = session.taskRegistry
    weak var weakTask: URLSessionTask?
    func make() throws {
      let task = try task(session)
      registry.remove(task)
      registry.add(task, retains: false)
      weakTask = task
      #expect(registry.all == [task])
      #expect(registry.isIdle)
    }
    try make()
    #expect(weakTask == nil)
    #expect(registry.all.isEmpty)
  }

  @Test func holdsUntilRemoved() throws {
    let session = URLSession(configuration: .ephemeral)
    let registry = session.taskRegistry
    weak var weakTask: URLSessionTask?
    func make() throws {
      let task = try task(session)
      weakTask = task
      registry.retain(task)
    }
    try make()
    #expect(!registry.isIdle)
    func remove() throws { registry.remove(try #require(weakTask)) }
    try remove()
    #expect(registry.isIdle)
    #expect(weakTask == nil)
  }

  @Test func numbersAndOrder() async throws {
    let session = URLSession(configuration: .ephemeral)
    let tasks = try (0..<100).map { _ in try task(session) }
    for task in tasks.shuffled() where Bool.random() { session.taskRegistry.retain(task) }
    #expect(session.taskRegistry.all == tasks)
    #expect(Set(tasks.map(\.taskIdentifier)).count == 100)
    for task in tasks { session.taskRegistry.remove(task) }
    let registry = TaskRegistry()
    let numbers = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<1000 { group.addTask { registry.nextIdentifier() } }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(numbers.count == 1000)
  }
}
