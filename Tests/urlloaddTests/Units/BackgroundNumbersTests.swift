import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

/// The numbers of tasks, which programs take before the service has answered.
@Suite struct BackgroundNumbersTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory("numbers") }

  private var state: String { folder.file("state").path }

  private func numbers(_ session: String = "test") -> BackgroundNumbers {
    BackgroundNumbers(in: state, session: session)
  }

  private func makeQueue() throws {
    try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: true)
    try Data().write(to: folder.file("state/queue.sqlite"))
  }

  private var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: state + "/numbers") }
  }

  @Test func everySessionCountsForItself() throws {
    #expect(numbers().take(atLeast: 1) == 1)
    // The folder is there before the queue.
    try makeQueue()
    #expect(numbers().take(atLeast: 1) == 2)
    #expect(numbers("other").take(atLeast: 1) == 1)
    #expect(numbers().take(atLeast: 10) == 10)
    #expect(numbers().take(atLeast: 1) == 11)
    numbers().raise(to: 5)
    #expect(numbers().take(atLeast: 1) == 12)
    numbers().raise(to: 20)
    #expect(numbers().take(atLeast: 1) == 20)
  }

  @Test func twoProcessesGetNoNumberTwice() async throws {
    let taken = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<8 {
        group.addTask { [numbers = numbers()] in (0..<50).compactMap { _ in numbers.take(atLeast: 1) } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(taken).count == taken.count && !taken.isEmpty)
  }

  @Test func theQueueOfAnOlderServiceHasNumbersThatNobodyKnows() throws {
    try makeQueue()
    #expect(numbers().take(atLeast: 1) == nil)
    numbers().raise(to: 7)
    #expect(numbers().take(atLeast: 1) == nil)
    BackgroundNumbers.complete(in: state, ["test": 7])
    #expect(numbers().take(atLeast: 1) == 7)
    #expect(numbers("new").take(atLeast: 1) == 1)
    BackgroundNumbers.complete(in: state, ["test": 3, "new": 9])
    #expect(numbers().take(atLeast: 1) == 8)
    #expect(numbers("new").take(atLeast: 1) == 9)
  }

  @Test func theFirstServiceHasAFolderBeforeItsQueue() throws {
    BackgroundNumbers.prepare(in: state)
    try makeQueue()
    #expect(numbers().take(atLeast: 1) == 1)
  }

  @Test func theServiceMakesNoFolderForTheQueueOfAnOlderOne() throws {
    try makeQueue()
    BackgroundNumbers.prepare(in: state)
    #expect(numbers().take(atLeast: 1) == nil)
  }

  @Test func whatAKilledServiceHasLeftIsRemoved() throws {
    try makeQueue()
    for name in ["numbers.1", "numbers.22"] {
      try FileManager.default.createDirectory(atPath: "\(state)/\(name)", withIntermediateDirectories: false)
      try Data().write(to: folder.file("state/\(name)/a"))
    }
    BackgroundNumbers.complete(in: state, ["test": 7])
    let names = try FileManager.default.contentsOfDirectory(atPath: state)
    #expect(Set(names) == ["numbers", "queue.sqlite"])
    #expect(numbers().take(atLeast: 1) == 7)
  }

  /// As a crash of the machine leaves it.
  @Test(arguments: ["", "0", String(repeating: "x", count: 20), "-0000000000000000001"])
  func aFileThatCannotBeReadSaysNothing(_ content: String) throws {
    #expect(numbers().take(atLeast: 1) == 1)
    for name in try files { try Data(content.utf8).write(to: folder.file("state/numbers/\(name)")) }
    #expect(numbers().take(atLeast: 1) == nil)
    numbers().raise(to: 4)
    #expect(numbers().take(atLeast: 1) == 4)
  }

  @Test func withoutAFolderThereAreNone() throws {
    try Data().write(to: folder.file("state"))
    #expect(numbers().take(atLeast: 1) == nil)
  }

  @Test func filesOfForgottenSessionsAreRemovedInAWeek() throws {
    for session in ["kept", "old", "young"] { #expect(numbers(session).take(atLeast: 1) == 1) }
    let names = try files
    for name in names {
      try FileManager.default.setAttributes(
        [.modificationDate: Date().addingTimeInterval(-8 * 86_400)], ofItemAtPath: "\(state)/numbers/\(name)")
    }
    #expect(numbers("young").take(atLeast: 1) == 2)
    BackgroundNumbers.complete(in: state, ["kept": 2])
    #expect(try files.count == 2)
    #expect(numbers("kept").take(atLeast: 1) == 2)
    #expect(numbers("young").take(atLeast: 1) == 3)
  }
}
