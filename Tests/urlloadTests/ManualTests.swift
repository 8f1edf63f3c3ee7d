import Foundation
import Testing
import URLLoadingBase
import URLLoadingTestServers

/// The man page and the completions say what the command takes.
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

  @Test(arguments: ["bash", "zsh", "fish"]) func completionsAreMade(shell: String) async throws {
    for arguments in [["--generate-completion-script", shell], ["--generate-completion-script=\(shell)"]] {
      let outcome = try await Urlload.run(arguments)
      #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(outcome.error)")
      for word in ["fail-with-body", "recursive", "per-host"] {
        #expect(outcome.text.contains(word), "\(shell) knows nothing of \(word)")
      }
    }
    let unknown = try await Urlload.run(["--generate-completion-script", "nonsense"])
    #expect(unknown.status == .exited(2), "\(unknown.error)")
  }

  /// bash asks the function of the script with the words up to the cursor.
  @Test func bashCompletesWordsOptionsAndFiles() async throws {
    let folder = try TemporaryDirectory("completion")
    try folder.write("urlload.bash", try await Urlload.run(["--generate-completion-script", "bash"]).output)
    try folder.write("list.zip", "")
    try FileManager.default.createDirectory(at: folder.file("place"), withIntermediateDirectories: true)
    func completions(_ words: String...) async throws -> Set<String> {
      let script = """
        set -u; source urlload.bash; COMP_WORDS=(urlload "$@"); COMP_CWORD=$#
        _urlload urlload "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"
        (( ${#COMPREPLY[@]} == 0 )) || printf '%s\\n' "${COMPREPLY[@]}"
        """
      let outcome = try await Command.run("/bin/bash", ["-c", script, "bash"] + words, directory: folder.url)
      #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(words): \(outcome.error)")
      return Set(outcome.text.split(separator: "\n").map { String($0) })
    }
    #expect(try await completions("l") == ["ls", "list.zip"])
    #expect(try await completions("https://host/", "l") == ["list.zip"])
    #expect(try await completions("--fail-w") == ["--fail-with-body"])
    #expect(try await completions("-o", "li") == ["list.zip"])
    #expect(try await completions("--output-dir", "") == ["place"])
    #expect(try await completions("-u", "li") == [])
    #expect(try await completions("--tls-max", "") == ["1.2", "1.3"])
    #expect(try await completions("--cert-type", "PE") == ["PEM"])
    #expect(try await completions("ls", "--tls-max", "1.3") == ["1.3"])
    #expect(try await completions("jobs", "--tls-max", "") == [])
    #expect(try await completions("ls", "li") == ["list.zip"])
    #expect(try await completions("ls", "--rec") == ["--recursive"])
    #expect(try await completions("ls", "--retr") == [])
    #expect(try await completions("jobs", "ca") == ["cancel"])
    #expect(try await completions("jobs", "cancel", "") == [])
    #expect(try await completions("jobs", "--per") == ["--per-host"])
  }
}
