import Testing

@testable import SFTPProtocol

@Suite struct WildcardPatternTests {
  private func matches(_ pattern: String, _ text: String) -> Bool {
    WildcardPattern(pattern.utf8).matches(Array(text.utf8))
  }

  @Test(arguments: [
    ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("?", "", false), ("?", "a", true),
    ("a*b", "ab", true), ("a*b", "axxb", true), ("a*b", "axxbc", false), ("a*b*c", "abxbcxc", true),
    ("**a", "bca", true),
    ("*a?", "aab", true), ("*ab", "aaab", true), ("A.B", "a.b", true), ("a.b", "axb", false),
  ])
  func examples(pattern: String, text: String, expected: Bool) {
    #expect(matches(pattern, text) == expected)
  }

  @Test func manyStarsTakeNoTime() {
    let pattern = String(repeating: "*a", count: 200) + "b"
    #expect(!matches(pattern, String(repeating: "a", count: 5000)))
  }

  @Test func listsNeedAMatchAndNoException() {
    let list = PatternList(["a*", "!ab", ""].map { Array($0.utf8) })
    #expect(list.matches(Array("ac".utf8)))
    #expect(!list.matches(Array("ab".utf8)))
    #expect(!list.matches(Array("b".utf8)))
    #expect(!PatternList([Array("!a".utf8)]).matches(Array("b".utf8)))
  }
}
