import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

/// The man page says what the command takes.
@Suite struct ManualTests {
  private static func help(_ words: String...) async throws -> [[String: Any]] {
    let outcome = try await Urlload.run(words + ["--experimental-dump-help"])
    let list = try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
    let command = try #require(list["command"] as? [String: Any])
    return try #require(command["arguments"] as? [[String: Any]]).filter { $0["shouldDisplay"] as? Bool != false }
  }

  /// The names of an option, with their hyphens.
  private static func names(_ argument: [String: Any]) -> [String] {
    (argument["names"] as? [[String: String]] ?? []).map { ($0["kind"] == "long" ? "--" : "-") + ($0["name"] ?? "") }
  }

  @Test func everyOptionIsInTheManual() async throws {
    let page = try String(
      contentsOf: PackageFolder.root.appendingPathComponent("Documentation/urlload.1"), encoding: .utf8)
    #expect(page.contains("urlload \(PackageVersion.current)"))
    for argument in try await Self.help() + Self.help("ls") + Self.help("jobs") {
      for name in Self.names(argument) {
        #expect(
          page.contains(name.replacing("-", with: "\\-")), "\(name) is not in the manual: run Scripts/make-manual")
      }
    }
    let shown = try await Command.run(
      "man", ["-l", "--warnings", "-P", "cat", PackageFolder.root.path + "/Documentation/urlload.1"])
    #expect(shown.status == .exited(0) && shown.error.isEmpty, "\(shown.error)")
  }

  /// The rewriting of arguments has a list of its own.
  @Test func optionsWithValuesAreKnown() async throws {
    for argument in try await Self.help() {
      let isOption = argument["kind"] as? String == "option"
      for name in Self.names(argument) {
        let expanded = ArgumentExpanderProbe.takesValue(name)
        #expect(expanded == isOption, "\(name) \(isOption ? "has" : "has no") value")
      }
    }
  }
}
