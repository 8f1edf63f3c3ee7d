import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

@Suite struct ProgramDirectoriesTests {
  @Test(arguments: [ProgramDirectories.Kind.cache, .data, .state])
  func testsHaveDirectoriesOfTheirOwn(kind: ProgramDirectories.Kind) {
    #expect(ProgramDirectories.current.own(kind)?.hasPrefix(TestEnvironment.directory + "/") == true)
  }

  // MARK: Names

  @Test func anIdentifierIsTheName() {
    #expect(ProgramDirectories.name(identifier: "org.example.app", executable: "/usr/bin/app") == "org.example.app")
  }

  @Test(arguments: [nil, ""] as [String?]) func withoutAnIdentifierThePathMakesTheName(identifier: String?) {
    func name(_ executable: String) -> String {
      ProgramDirectories.name(identifier: identifier, executable: executable)
    }
    // Another name for the same program would lose its cookies.
    #expect(name("/usr/bin/app") == "app-4676ac67c8d11e82")
    #expect(name("/opt/bin/app").hasPrefix("app-"))
    #expect(name("/opt/bin/app") != name("/usr/bin/app"))
    #expect(name("/usr/bin/other").hasPrefix("other-"))
  }

  // MARK: Places

  private static let home = ["HOME": "/home/user"]

  private func own(_ kind: ProgramDirectories.Kind, _ environment: [String: String]) -> String? {
    ProgramDirectories(environment: environment, program: "org.example.app").own(kind)
  }

  private static let places: [(ProgramDirectories.Kind, String, String)] = [
    (.cache, "XDG_CACHE_HOME", "/home/user/.cache"), (.configuration, "XDG_CONFIG_HOME", "/home/user/.config"),
    (.data, "XDG_DATA_HOME", "/home/user/.local/share"), (.state, "XDG_STATE_HOME", "/home/user/.local/state"),
  ]

  @Test(arguments: places)
  func aVariableWinsOverTheHome(kind: ProgramDirectories.Kind, variable: String, fallback: String) {
    let end = "/url-loading/org.example.app"
    #expect(own(kind, Self.home.merging([variable: "/xdg"]) { $1 }) == "/xdg" + end)
    #expect(own(kind, [variable: "/xdg"]) == "/xdg" + end)
    #expect(own(kind, Self.home) == fallback + end)
    // The specification has relative paths ignored, and an empty one is as none.
    for path in ["xdg", "./xdg", "~/xdg", ""] {
      #expect(own(kind, Self.home.merging([variable: path]) { $1 }) == fallback + end)
      #expect(own(kind, [variable: path]) == nil)
    }
  }

  @Test(arguments: ["", "/", "home/user", "~"]) func aHomeThatIsNoneGivesNoPlace(home: String) {
    #expect(own(.data, ["HOME": home]) == nil)
    #expect(own(.data, [:]) == nil)
  }

  @Test(arguments: ["..", "../../etc", "a/b", ".hidden", "", "a\u{0}b", "%2F"]) func aNameLeadsNowhereElse(name: String)
  {
    let directories = ProgramDirectories(environment: Self.home, program: "org.example.app")
    let place = directories.shared(.data, by: name)
    let root = "/home/user/.local/share/url-loading/"
    #expect(place?.hasPrefix(root) == true)
    let last = place?.dropFirst(root.count) ?? ""
    #expect(!last.isEmpty && !last.hasPrefix(".") && !last.contains("/") && !last.contains("\u{0}"), "\(last)")
    #expect(place != directories.own(.data))
  }

  @Test func aLongNameIsShortened() {
    let directories = ProgramDirectories(environment: Self.home, program: String(repeating: "n", count: 1000))
    // The longest that file systems take (NAME_MAX).
    #expect((directories.own(.data)?.split(separator: "/").last?.utf8.count ?? 0) <= 255)
  }
}
