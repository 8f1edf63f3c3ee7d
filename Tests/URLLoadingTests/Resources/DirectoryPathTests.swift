import Foundation
import Testing

@testable import URLLoading

@Suite struct DirectoryPathTests {
  private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test func parentsAreMadeFromTheFirstThatIsMissing() throws {
    var path = DirectoryPath(try Self.url("memory://host/a/b/c/"))
    #expect(path.next?.path() == "/a/b/c/")
    for parent in ["/a/b/", "/a/"] {
      let isMadeFirst = path.lacksParent()
      #expect(isMadeFirst && path.next?.path() == parent)
    }
    path.made()
    #expect(path.next?.path() == "/a/b/")
    path.made()
    path.made()
    #expect(path.next == nil)
  }

  @Test func theRootIsNotMade() throws {
    for text in ["memory://host/a", "file:///a/", "memory://host", "memory:a"] {
      var path = DirectoryPath(try Self.url(text))
      let isMadeFirst = path.lacksParent()
      #expect(!isMadeFirst, "\(text)")
    }
  }

  /// Else two programs, one of which removes what the other makes, would go on for ever.
  @Test func whatWasThereIsNotMadeAgain() throws {
    var path = DirectoryPath(try Self.url("file:///a/b"))
    let hasParent = path.lacksParent()
    path.made()
    let lacksItAgain = path.lacksParent()
    #expect(hasParent && !lacksItAgain)
  }
}
