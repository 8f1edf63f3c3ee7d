import Testing

@testable import urlloadd

/// What a user's list of plugins says.
@Suite struct PluginListTests {
  @Test func linesNamePaths() {
    let list = PluginList("# mine\n\n/a/one.so\r\n  /b/two three.so\t\n#/c\n/a/one.so\n/d")
    #expect(list.paths == ["/a/one.so", "/b/two three.so", "/d"])
    #expect(list.errors.isEmpty)
  }

  @Test func whatIsNoAbsolutePathIsSaid() {
    let list = PluginList("\nlib/one.so\n~/two.so\n/three\0.so\n/four.so\n")
    #expect(list.paths == ["/four.so"])
    #expect(list.errors.count == 3)
    #expect(list.errors.first == "line 2, \"lib/one.so\", is no absolute path")
    #expect(list.errors.last == "line 4 has a zero byte")
  }

  @Test func aLineIsQuotedAsOneOfPrintableCharacters() {
    let list = PluginList("a\u{1B}[2J\n" + "b" + String(repeating: "\u{301}", count: 10_000))
    #expect(list.errors.first == "line 1, \"a\u{FFFD}[2J\", is no absolute path")
    #expect(list.errors.last.map { $0.unicodeScalars.count < 250 } == true)
  }

  @Test func pathsThatNobodyCanOpenAreSaid() {
    let longest = "/" + String(repeating: "a", count: 4094)
    let list = PluginList("\(longest)\n\(longest)a\n")
    #expect(list.paths == [longest])
    #expect(list.errors == ["line 2 has more than 4095 bytes"])
  }

  @Test func anEmptyListNamesNothing() {
    #expect(PluginList("").paths.isEmpty)
    #expect(PluginList("# nothing").errors.isEmpty)
  }

  @Test func itIsInTheConfigurationOfTheUser() {
    #expect(PluginLoader.list(environment: ["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/url-loading/plugins")
    #expect(PluginLoader.list(environment: ["XDG_CONFIG_HOME": "c", "HOME": "/h"]) == "/h/.config/url-loading/plugins")
    #expect(PluginLoader.list(environment: [:]) == nil)
  }
}
