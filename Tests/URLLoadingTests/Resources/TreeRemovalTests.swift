import Foundation
import Testing

@testable import URLLoading

/// The order in which a tree is removed.
@Suite struct TreeRemovalTests {
  private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

  @Test func aDirectoryGoesAfterWhatIsInIt() {
    var removal = TreeRemoval(url("/r"))
    var next = removal.nextAction()
    #expect(next == .empty(0, url("/r")))
    next = removal.nextAction()
    #expect(next == .wait)
    removal.listed(0, directories: [url("/r/a"), url("/r/b")], keeps: false)
    let (first, second, third) = (removal.nextAction(), removal.nextAction(), removal.nextAction())
    #expect(first == .empty(2, url("/r/b")) && second == .empty(1, url("/r/a")) && third == .wait)
    removal.listed(2, directories: [], keeps: false)
    next = removal.nextAction()
    #expect(next == .remove(2, url("/r/b")))
    removal.removed(2, isGone: true)
    next = removal.nextAction()
    #expect(next == .wait)
    removal.listed(1, directories: [], keeps: false)
    next = removal.nextAction()
    #expect(next == .remove(1, url("/r/a")))
    removal.removed(1, isGone: true)
    next = removal.nextAction()
    #expect(next == .remove(0, url("/r")))
    removal.removed(0, isGone: true)
    next = removal.nextAction()
    #expect(next == .finished && removal.count == 0)
  }

  /// A server that shows a directory in every directory.
  @Test func aTreeWithoutEndHasOne() {
    var removal = TreeRemoval(url("/r"))
    var count = 0
    while case .empty(let number, let directory) = removal.nextAction(), count < 5000 {
      removal.listed(number, directories: [directory.appending(path: "a")], keeps: false)
      count += 1
    }
    #expect(count == 1001 && removal.count == 0)
  }

  @Test(arguments: [true, false]) func whatIsLeftKeepsItsParents(_ isLeftAsDirectory: Bool) {
    var removal = TreeRemoval(url("/r"))
    _ = removal.nextAction()
    removal.listed(0, directories: [url("/r/a")], keeps: false)
    _ = removal.nextAction()
    removal.listed(1, directories: [], keeps: !isLeftAsDirectory)
    if isLeftAsDirectory {
      let next = removal.nextAction()
      #expect(next == .remove(1, url("/r/a")))
      removal.removed(1, isGone: false)
    }
    let next = removal.nextAction()
    #expect(next == .finished && removal.count == 0)
  }
}
