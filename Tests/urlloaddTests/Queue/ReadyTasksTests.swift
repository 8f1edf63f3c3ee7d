import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import urlloadd

/// The order of the tasks that may begin.
@Suite struct ReadyTasksTests {
  private func job(
    _ number: Int, session: String = "s", origin: String = "http://a:", priority: Float = 0.5, avoids: Bool = false
  ) -> Job {
    var job = Job(number: number, session: session, identifier: number, kind: .download, origin: origin)
    job.state.hints.priority = priority
    job.state.avoidsMetered = avoids
    return job
  }

  /// However many wait that may not begin, one question settles them.
  @Test func aChoiceCostsAsMuchAsThereAreGroups() {
    var ready = ReadyTasks()
    for number in 1...10_000 { ready.insert(job(number, priority: 1, avoids: true)) }
    ready.insert(job(10_001))
    var questions = 0
    let first = ready.first { group in
      questions += 1
      return !group.avoidsMetered
    }
    #expect(first == 10_001)
    #expect(questions <= 2)
  }

  @Test func aTaskIsThereOnce() {
    var ready = ReadyTasks()
    ready.insert(job(1))
    ready.insert(job(1))
    let removals = [ready.remove(job(1)), ready.remove(job(1))]
    #expect(removals == [true, false])
    #expect(ready.first(where: { _ in true }) == nil)
  }

  /// The groups together have the order of one list.
  @Test func theOrderIsThatOfASort() {
    var random = SeededGenerator(seed: 31)
    var ready = ReadyTasks()
    let jobs = (1...300).map { number in
      job(
        number, session: "\(number % 3)", origin: "http://\(number % 5):", priority: Float(number % 4) / 4,
        avoids: number % 2 == 0)
    }
    for job in jobs.shuffled(using: &random) { ready.insert(job) }
    let expected = jobs.sorted { ($1.state.hints.priority, $0.number) < ($0.state.hints.priority, $1.number) }
    var taken: [Int] = []
    while let number = ready.first(where: { _ in true }) {
      taken.append(number)
      guard ready.remove(jobs[number - 1]) else { break }
    }
    #expect(taken == expected.map(\.number))
  }
}
