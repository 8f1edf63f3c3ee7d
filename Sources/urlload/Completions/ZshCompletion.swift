/// The script for zsh.
enum ZshCompletion {
  static func script(_ loads: CompletedCommand, _ words: [CompletedCommand]) -> String {
    """
    #compdef urlload

    _urlload() {
        local word='' ret=1
        local -a specs subcommands
        (( CURRENT > 2 )) && word=$words[2]
        case $word in
    \(words.map { branch($0, pattern: $0.name ?? "", "shift words; (( CURRENT-- ))") }.joined(separator: "\n"))
    \(branch(loads, pattern: "*", "subcommands=(\(words.map(described).joined(separator: " ")))"))
        esac
        (( CURRENT == 2 && ${#subcommands} )) && _describe -t commands subcommand subcommands && ret=0
        _arguments -s -S : "${specs[@]}" && ret=0
        return ret
    }

    if [[ $funcstack[1] == _urlload ]]; then
        _urlload "$@"
    else
        compdef _urlload urlload
    fi

    """
  }

  private static func branch(_ command: CompletedCommand, pattern: String, _ statement: String) -> String {
    let specs = command.options.map(spec) + arguments(command.arguments)
    return """
          \(pattern))
              \(statement)
              specs=(
      \(specs.map { "            \($0)" }.joined(separator: "\n"))
              )
              ;;
      """
  }

  private static func described(_ command: CompletedCommand) -> String {
    CompletionScript.quoted("\(command.name ?? ""):\(escaped(command.text))")
  }

  /// `'(-o --output)'{-o,--output}'[…]:FILE:_files'`; without what excludes it where it may be repeated.
  private static func spec(_ option: CompletedCommand.Option) -> String {
    let value = option.values.map { ":\(escaped(option.valueName)):\(action($0))" } ?? ""
    let rest = CompletionScript.quoted("[\(escaped(option.text))]\(value)")
    let names = option.names.count > 1 ? "{\(option.names.joined(separator: ","))}" : option.names.joined()
    let isRepeating = option.isRepeating && option.values != nil
    return CompletionScript.quoted(isRepeating ? "*" : "(\(option.names.joined(separator: " ")))") + names + rest
  }

  private static func arguments(_ values: CompletedCommand.Values) -> [String] {
    switch values {
    case .words: [CompletionScript.quoted("1:word:\(action(values))"), CompletionScript.quoted("*:argument: ")]
    default: [CompletionScript.quoted("*:URL:\(action(values))")]
    }
  }

  private static func action(_ values: CompletedCommand.Values) -> String {
    switch values {
    case .anything: " "
    case .files: "_files"
    case .folders: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// Text of a spec, in which brackets, colons and backslashes mean something.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if "\\[]:".contains(character) { result.append("\\") }
      result.append(character)
    }
  }
}
