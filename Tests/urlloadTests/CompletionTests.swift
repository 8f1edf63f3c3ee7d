import Foundation
import Testing
import URLLoadingTestServers

/// The completions of shells, as the shells read them.
@Suite(.timeLimit(.minutes(Sanitizing.isOn ? 20 : 2))) struct CompletionTests {
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

  @Test(arguments: ["bash", "zsh", "fish"]) func shellsReadTheirScripts(shell: String) async throws {
    let folder = try TemporaryDirectory("completion")
    try folder.write("script", try await Urlload.run(["--generate-completion-script", shell]).output)
    let outcome = try await Command.run(
      shell, ["-n", "script"], environment: ["HOME": folder.path, "XDG_CONFIG_HOME": nil], directory: folder.url)
    #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(outcome.error)")
  }

  @Test func zshHasAFunctionForTheCommand() async throws {
    let folder = try TemporaryDirectory("completion")
    try folder.write("_urlload", try await Urlload.run(["--generate-completion-script", "zsh"]).output)
    // As an installed script is found: by its name, in a folder of functions.
    let script = "fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D; print -r -- $_comps[urlload]"
    let outcome = try await Command.run(
      "zsh", ["-f", "-c", script], environment: ["HOME": folder.path], directory: folder.url)
    #expect(outcome.status == .exited(0) && outcome.text == "_urlload\n", "\(outcome.text) \(outcome.error)")
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

  @Test func fishCompletesWordsOptionsAndFiles() async throws {
    let folder = try TemporaryDirectory("completion")
    try folder.write("urlload.fish", try await Urlload.run(["--generate-completion-script", "fish"]).output)
    try folder.write("list.zip", "")
    try folder.write("place/file", "")
    let home = try TemporaryDirectory("home")
    func completions(_ line: String) async throws -> Set<String> {
      let outcome = try await Command.run(
        "fish", ["-c", "source urlload.fish; complete -C $argv[1]", line],
        environment: ["HOME": home.path, "XDG_CONFIG_HOME": nil, "XDG_DATA_HOME": nil, "XDG_CACHE_HOME": nil],
        directory: folder.url)
      #expect(outcome.status == .exited(0) && outcome.error.isEmpty, "\(line): \(outcome.error)")
      // A description stands after a tab.
      return Set(outcome.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) })
    }
    #expect(try await completions("urlload l") == ["ls", "list.zip"])
    #expect(try await completions("urlload https://host/ l") == ["list.zip"])
    #expect(try await completions("urlload --fail-w") == ["--fail-with-body"])
    #expect(try await completions("urlload -o li") == ["list.zip"])
    #expect(try await completions("urlload --output-dir ") == ["place/"])
    #expect(try await completions("urlload -u li") == [])
    #expect(try await completions("urlload --tls-max ") == ["1.2", "1.3"])
    #expect(try await completions("urlload --cert-type PE") == ["PEM"])
    #expect(try await completions("urlload ls li") == ["list.zip"])
    #expect(try await completions("urlload ls --rec") == ["--recursive"])
    // fish 4 offers what has these letters in this order, too.
    #expect(try await completions("urlload ls --retr").allSatisfy { !$0.hasPrefix("--retr") })
    #expect(try await completions("urlload jobs ca") == ["cancel"])
    #expect(try await completions("urlload jobs --per") == ["--per-host"])
  }
}
