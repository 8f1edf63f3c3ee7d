import Testing

@testable import URLLoading

/// Patterns of paths.
@Suite struct PathPatternTests {
  private func matches(_ pattern: String, _ path: String) -> Bool {
    let pattern = PathPattern(pattern)
    return path.split(separator: "/").reduce(pattern.start) { pattern.next($0, String($1)) }.isMatch
  }

  @Test(arguments: [
    ("*.swift", "a.swift", true), ("*.swift", "a/b.swift", false), ("*", ".hidden", false), (".*", ".hidden", true),
    ("?", "ü", true), ("?", "ab", false), ("?x", ".x", false), ("[.]x", ".x", false), ("a*b*c", "aXbYc", true),
    ("a*b*c", "aXbY", false), ("[a-c]1", "b1", true), ("[!a-c]1", "b1", false), ("[!a-c]1", "d1", true),
    ("[^a]", "b", true), ("[]]", "]", true), ("[!]]", "a", true), ("[a-]", "-", true), ("[c-a]", "b", false),
    ("[[:digit:]x]", "7", true), ("[[:digit:]x]", "x", true), ("[[:digit:]]", "a", false), ("[[:upper:]]", "a", false),
    ("[abc", "[abc", true), ("\\*", "*", true), ("\\*", "a", false), ("[\\]]", "]", true), ("a\\", "a\\", true),
    ("a/*/c", "a/b/c", true), ("a/*/c", "a/c", false), ("**/c", "c", true), ("**/c", "a/b/c", true),
    ("a/**/c", "a/c", true), ("a/**/c", "a/x/y/c", true), ("a/**/c", "b/c", false), ("**", "a/b", true),
    ("**", "a/.b/c", false), ("**/.b/c", "a/.b/c", true), ("a/**", "a/b/c", true), ("**/**/x", "x", true),
    ("/a//b/", "a/b", true), ("A", "a", false), ("..", "..", true), ("***", "abc", true), ("", "a", false),
  ])
  func aPathMatches(_ pattern: String, _ path: String, _ expected: Bool) {
    #expect(matches(pattern, path) == expected)
  }

  @Test func directoriesBelowWhichNothingMatchesAreLeftOut() {
    let pattern = PathPattern("a/*/c")
    let start = pattern.start
    #expect(start.leadsOn && !start.isMatch)
    #expect(pattern.next(start, "a").leadsOn && !pattern.next(start, "b").leadsOn)
    let last = pattern.next(pattern.next(pattern.next(start, "a"), "b"), "c")
    #expect(last.isMatch && !last.leadsOn)
    let deep = PathPattern("**/c")
    #expect(deep.next(deep.start, "x").leadsOn && !deep.next(deep.start, ".x").leadsOn)
  }

  /// Patterns that take others exponential time.
  @Test(.timeLimit(.minutes(1))) func noPatternTakesLong() {
    let name = String(repeating: "a", count: 5000)
    #expect(!NamePattern(Substring(String(repeating: "*a", count: 500) + "b")).matches(name))
    #expect(!matches(String(repeating: "**/", count: 50) + "x", String(repeating: "a/", count: 200)))
  }
}
