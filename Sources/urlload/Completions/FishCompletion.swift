/// The script for fish.
enum FishCompletion {
  static func script(_ loads: CompletedCommand, _ words: [CompletedCommand]) -> String {
    let names = words.compactMap(\.name)
    let first = words.map { word in
      "complete -c urlload -n 'test (count (commandline -opc)) -eq 1' -a \(quoted(word.name ?? "")) -d \(quoted(word.text))"
    }
    return """
      # fish completion of urlload
      function __urlload_word
          set -l words (commandline -opc)
          if test (count $words) -gt 1; and contains -- $words[2] \(names.joined(separator: " "))
              echo $words[2]
          else
              echo load
          end
      end

      complete -c urlload -f
      \((first + ([loads] + words).flatMap(lines)).joined(separator: "\n"))

      """
  }

  private static func lines(_ command: CompletedCommand) -> [String] {
    let condition = "complete -c urlload -n 'test (__urlload_word) = \(command.name ?? "load")'"
    let options = command.options.map { option in
      let letters = option.letters.map { " -s \($0.dropFirst())" }
      let words = option.words.map { " -l \($0.dropFirst(2))" }
      // Files are completed as well, unless the value is exclusive.
      let value = option.values.map { ($0 == .files ? " -r" : " -x") + values($0) } ?? ""
      return condition + (letters + words).joined() + value + " -d \(quoted(option.text))"
    }
    return options + (command.arguments == .anything ? [] : [condition + values(command.arguments)])
  }

  private static func values(_ values: CompletedCommand.Values) -> String {
    switch values {
    case .anything: ""
    case .files: " -F"
    case .folders: " -a '(__fish_complete_directories)'"
    case .words(let words): " -a \(quoted(words.joined(separator: " ")))"
    }
  }

  /// In fish's quotes a backslash stands before a quote or another.
  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
  }
}
